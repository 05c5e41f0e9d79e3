// Computes the tables of a propagation, and keeps the last ones.
#include "runtime/operators/fresnel/tables.h"
#include "generators/algorithms/cache.h"
#include "runtime/operators/fft_tables.h"
#include "runtime/process/immortal.h"

namespace tilewright {

namespace {

constexpr size_t most_vectors = 64, most_planes = 1;  // a plane has the size of a field

// What the phases of a propagation depend on, apart from its method.
struct Optics {
    int64_t side;
    double distance, squared_frequency_step;

    explicit Optics(const Propagation &p)
        : side(p.side), distance(p.distance_in_wavelengths()),
          squared_frequency_step(p.squared_frequency_step()) {}
    bool operator==(const Optics &) const = default;
};

// The frequency of entry i of a response, for a pass over lines that have `parts` parts: those of the first
// part, then those of the next one.
int64_t frequency_of(const FftPassShape &pass, int64_t parts, int64_t i) {
    return i / pass.length() + parts * pass.order(i % pass.length());
}

std::complex<double> factor_at(const Propagation &p, LineFactor factor, int64_t k) {
    switch (factor) {
    case LineFactor::before: return p.before(k);
    case LineFactor::after: return p.after(k);
    case LineFactor::transfer: return p.transfer(k) / (double)p.side;
    case LineFactor::ones: break;
    }
    return 1;
}

}  // namespace

Array line_factors(const Propagation &p, LineFactor factor) {
    auto &tables = immortal([] { return Cache<std::pair<LineFactor, Optics>, Array>(most_vectors); });
    return *tables.get({factor, Optics(p)},
        [&] { return complex_vector(p.side, [&](int64_t k) { return factor_at(p, factor, k); }); });
}

FftTable transfer_response(const Propagation &p, const FftPassLibrary &pass, int64_t parts) {
    struct Key {
        std::array<int, 4> radix;
        int64_t parts;
        Optics optics;
        bool operator==(const Key &) const = default;
    };
    auto &tables = immortal([] { return Cache<Key, Array>(most_vectors); });
    const Array table = *tables.get({pass.shape.radix, parts, Optics(p)}, [&] {
        return complex_vector(p.side,
            [&](int64_t i) { return p.transfer(frequency_of(pass.shape, parts, i)) / (double)p.side; });
    });
    const int64_t length = p.side / parts;
    return FftTable(table, {{length, 1}, {p.side, 0}, {parts, length}});
}

FftTable spectrum_response(Plan &plan, Device device, const Propagation &p, const FftPassLibrary &pass,
    int64_t parts, const Variant &variant) {
    struct Key {
        std::array<int, 4> radix;
        int64_t parts;
        Device device;
        Optics optics;
        bool operator==(const Key &) const = default;
    };
    auto &tables = immortal([] { return Cache<Key, Array>(most_planes); });
    const Key key{pass.shape.radix, parts, device, Optics(p)};
    Array table;
    if (const auto known = tables.find(key)) {
        table = *known;
    } else {
        table = Array::uninitialized(Type::c64, {p.side, p.side});
        // Row i of a part is for the frequency that has number i between the stages of the pass.
        Array frequencies(Type::i32, {p.side});
        for (int64_t i = 0; i < p.side; i++) {
            frequencies.as<int32_t>()[i] = (int32_t)frequency_of(pass.shape, parts, i);
        }
        plan.launch(variant, device)
            .in("order", frequencies)
            .value("distance", key.optics.distance)
            .value("frequency_step_squared", key.optics.squared_frequency_step)
            .value("scale", (float)(1 / ((double)p.side * (double)p.side)))
            .out("output", table, complex_words(table));
        // Another call may find it once it is computed.
        plan.host([&tables, key, table] { tables.get(key, [&] { return table; }); });
    }
    const int64_t length = p.side / parts, pitch = table.strides()[0];
    return FftTable(table, {{length, pitch}, {p.side, 1}, {parts, length * pitch}});
}

}  // namespace tilewright
