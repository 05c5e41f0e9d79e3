// Finds the passes for the lines of a field, and binds their arguments.
#include "runtime/operators/fft_passes.h"
#include "runtime/dispatch/form.h"
#include "runtime/operators/fft_mixed.h"
#include "runtime/operators/fft_tables.h"
#include <algorithm>

namespace tilewright {

using Lines = FftPassShape::Lines;
using Division = LineLayout::Division;

FftPassLibrary::FftPassLibrary(const Variant &variant, const FftArguments &arguments)
    : variant(&variant), arguments(&arguments), shape(variant.configuration<FftPassShape>()),
      kind{.lines = shape.lines,
          .twiddled = shape.twiddled,
          .first_factor = shape.chirp_first,
          .last_factor = shape.chirp_last,
          .convolves = shape.convolve,
          .type = variant.type == name_of(Type::c64) ? Type::c64 : Type::c128},
      together(variant.tunable("together")) {}

FftLibraries::FftLibraries(const std::vector<Variant> &variants) : table_(variants) {
    for (const Variant &variant : variants) {
        variants_.push_back(&variant);
        if (const auto *arguments = dynamic_cast<const FftArguments *>(variant.known_form)) {
            passes_.emplace_back(variant, *arguments);
        }
    }
}

// Whether a variant is that of a table from which another one was built with other tunables.
static bool is_built_from(const Variant &built, const Variant &variant) {
    return built.schedule == variant.schedule && built.type == variant.type &&
           built.backend == variant.backend;
}

// Clusters take whole columns of their lengths, and those that others take in parts.
bool FftLibraries::avoids_clusters(const Variant &variant) const {
    const auto at = std::ranges::find(passes_, &variant, &FftPassLibrary::variant);
    const FftPassShape shape = at == passes_.end() ? FftPassShape() : at->shape;
    return variant.backend == Backend::cuda && !shape.clustered && !shape.serves_all &&
           shape.lines == Lines::across && std::ranges::any_of(passes_, [&](const FftPassLibrary &pass) {
               return pass.shape.clustered && (shape.is_part() || pass.shape.length() == shape.length());
           });
}

FftLibraries::FftLibraries(const FftLibraries &others, const Variant &built) : table_(others.table_) {
    for (const Variant *variant : others.variants_) {
        variants_.push_back(is_built_from(built, *variant) ? &built : variant);
    }
    for (const FftPassLibrary &pass : others.passes_) {
        passes_.push_back(
            is_built_from(built, *pass.variant) ? FftPassLibrary(built, *pass.arguments) : pass);
    }
    has_clusters_ = !avoids_clusters(built);
}

const FftLibraries &FftLibraries::with(const Variant &variant) const {
    const std::less<> before;
    const bool is_built = before(&variant, table_.data()) || !before(&variant, table_.data() + table_.size());
    if (!is_built && !avoids_clusters(variant)) {
        return *this;
    }
    const std::lock_guard lock(guard_);
    auto &libraries = with_[{&variant, variant.name()}];
    if (!libraries) {
        libraries.reset(new FftLibraries(*this, variant));
    }
    return *libraries;
}

const FftPassLibrary *FftLibraries::pass(
    Device device, const FftPassKind &kind, int64_t length, int64_t lines) const {
    const auto at = std::find_if(passes_.begin(), passes_.end(), [&](const FftPassLibrary &pass) {
        return pass.variant->backend == device.backend && pass.shape.length() == length &&
               pass.kind == kind && lines % pass.together == 0 && (has_clusters_ || !pass.shape.clustered) &&
               why_not_on(*pass.variant, device).empty();
    });
    return at == passes_.end() ? nullptr : &*at;
}

std::vector<int64_t> FftLibraries::lengths(Device device, const FftPassKind &kind) const {
    std::vector<int64_t> lengths;
    for (const FftPassLibrary &pass : passes_) {
        if (pass.variant->backend == device.backend && pass.kind == kind) {
            lengths.push_back(pass.shape.length());
        }
    }
    std::sort(lengths.begin(), lengths.end(), std::greater<>());
    lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
    return lengths;
}

const FftPassLibrary *FftLibraries::padded(Device device, Lines lines, int64_t n) const {
    const FftPassLibrary *shortest = nullptr;
    for (const FftPassLibrary &pass : passes_) {
        if (pass.variant->backend == device.backend && pass.shape.lines == lines && pass.shape.pads(n) &&
            (!shortest || pass.shape.length() < shortest->shape.length()) &&
            why_not_on(*pass.variant, device).empty()) {
            shortest = &pass;
        }
    }
    return shortest;
}

const Variant *FftLibraries::of_form(Backend backend, std::string_view form) const {
    const auto at = std::find_if(variants_.begin(), variants_.end(),
        [&](const Variant *variant) { return variant->backend == backend && variant->form == form; });
    return at == variants_.end() ? nullptr : *at;
}

const Variant *FftLibraries::half(Backend backend, Type type, FftHalfShape::Step step) const {
    const auto at = std::find_if(variants_.begin(), variants_.end(), [&](const Variant *variant) {
        return variant->backend == backend && variant->form == "fft_half" && variant->type == name_of(type) &&
               variant->configuration<FftHalfShape>().step == step;
    });
    return at == variants_.end() ? nullptr : *at;
}

std::vector<const Variant *> FftLibraries::mixed(Device device, Type type) const {
    std::vector<const Variant *> all, running;
    for (const Variant *variant : variants_) {
        if (variant->backend == device.backend && variant->form == "fft_mixed" &&
            variant->type == name_of(type)) {
            all.push_back(variant);
            if (why_not_on(*variant, device).empty()) {
                running.push_back(variant);
            }
        }
    }
    return running.empty() ? all : running;
}

View LineLayout::view(const Array &field) const {
    View view = complex_words(field);
    const int64_t h = field.shape()[0], w = field.shape()[1], pitch = field.strides()[0];
    const bool columns = axis == FieldAxis::columns;
    switch (division) {
    case Division::whole: view.dims = {{w, 1}, {h, pitch}, {1, 1}}; break;
    case Division::interleaved:
        view.dims = columns ? std::vector<View::Dim>{{w, 1}, {points, parts * pitch}, {parts, pitch}} :
                              std::vector<View::Dim>{{parts, 1}, {points, parts}, {h, pitch}};
        break;
    case Division::consecutive:
        view.dims = columns ? std::vector<View::Dim>{{w, 1}, {points, pitch}, {parts, points * pitch}} :
                              std::vector<View::Dim>{{points, 1}, {parts, points}, {h, pitch}};
        break;
    }
    return view;
}

FftTable::FftTable(Array table, std::vector<View::Dim> dims)
    : array(std::move(table)), view(complex_words(array)) {
    view.dims = std::move(dims);
}

void FftPassCall::add_to(Plan &plan, Device device, const Array &from, Array &to) const {
    std::vector<std::pair<const char *, FftTable>> tables;
    for (const auto &[name, make] : {std::pair{"first", &first}, {"last", &last}, {"response", &response}}) {
        if (*make) {
            tables.emplace_back(name, (*make)(plan, device));
        }
    }
    Launch &launch = plan.launch(*pass->variant, device);
    if (pass->shape.has_endpoints()) {
        bind_endpoints(launch, endpoints, from.type());
    }
    for (const auto &[name, table] : tables) {
        launch.in(name, table.array, pass->arguments->view_of(table));
    }
    pass->arguments->bind_lines(launch, *this, from, to);
}

void bind_endpoints(Launch &launch, const Endpoints &ends, Type type) {
    for (const auto &[name, number] :
        {std::pair{"sign", ends.sign}, {"scale_re", ends.scale_re}, {"scale_im", ends.scale_im}}) {
        type == Type::c64 ? launch.value(name, (float)number) : launch.value(name, number);
    }
}

void FftWords::bind_lines(Launch &launch, const FftPassCall &call, const Array &from, Array &to) const {
    const FftPassShape &shape = call.pass->shape;
    const auto vector = [&](const char *name, const Array &table) {
        launch.in(name, table, complex_numbers(complex_words(table), table.type()));
    };
    launch.in("in", from, complex_numbers(call.reads.view(from), from.type()));
    vector("roots", fft_roots(shape.length(), from.type()));
    if (shape.twiddled) {
        vector("turns", fft_roots(call.whole_length, from.type()));
    }
    if (shape.convolve) {
        vector("middle", fft_middle(shape));
    }
    launch.out("output", to, complex_numbers(call.writes.view(to), to.type()));
}

void FftParts::bind_lines(Launch &launch, const FftPassCall &call, const Array &from, Array &to) const {
    const FftPassShape &shape = call.pass->shape, last = shape.convolve ? shape.mirrored() : shape;
    const bool rows = shape.lines == Lines::along;
    const Array roots = fft_roots(shape.length());
    launch.in("in", from, complex_parts(from)).in("roots", roots, complex_parts(roots));
    const auto between = [&](const char *name, const FftPassShape &line) {
        const int64_t length = line.length(), points1 = line.first_level(), points2 = length / points1;
        const Array table = fft_between_levels(line);
        launch.in(name, table, {halide_type_of<float>(), {{points2, 1}, {points1, points2}, {2, length}}});
    };
    if (rows) {
        between("between", shape);
        if (shape.convolve) {
            between("between_back", last);
        }
    }
    View output = complex_parts(to);
    const View::Dim along = output.dims[rows ? 1 : 2], lines = output.dims[rows ? 2 : 1];
    const int64_t first = last.first_level(), third = last.radix[2], fourth = last.radix[3];
    const View::Dim digits[] = {
        {first, along.stride}, {third, first * along.stride}, {fourth, first * third * along.stride}};
    output.dims.resize(1);
    output.dims.insert(output.dims.end(), digits, digits + 3);
    output.dims.insert(output.dims.begin() + (rows ? 4 : 1), lines);
    launch.out("output", to, output);
}

MakeFftTable along_line(std::function<Array()> make, std::vector<View::Dim> dims) {
    if (!make) {
        return {};
    }
    return
        [make = std::move(make), dims = std::move(dims)](Plan &, Device) { return FftTable(make(), dims); };
}

void PassPlan::transform(FieldAxis axis, const Endpoints &endpoints, const LineFactors &factors) {
    const bool columns = axis == FieldAxis::columns;
    const int64_t n = columns ? h_ : w_, lines = columns ? w_ : h_;
    if (one_pass(axis, endpoints, factors) || two_passes(axis, endpoints, factors)) {
        return;
    }
    // A CPU without AVX2 has no passes, and transforms all lines by these; so does a GPU of which blocks have
    // less memory than passes over columns take.
    const MixedTransform mixed(libraries_.mixed(device_, type_), device_, axis, n, lines, endpoints, factors);
    step(mixed.variant(), true, [mixed](Plan &plan, Device device, const Array &from, Array &to) {
        mixed.add_to(plan, device, from, to);
    });
}

bool PassPlan::one_pass(FieldAxis axis, const Endpoints &endpoints, const LineFactors &factors) {
    const bool columns = axis == FieldAxis::columns, has_first = (bool)factors.first,
               has_last = (bool)factors.last;
    const int64_t n = columns ? h_ : w_, lines = columns ? w_ : h_;
    FftPassKind whole{
        .lines = columns ? Lines::across : Lines::along, .first_factor = has_first, .last_factor = has_last};
    whole.type = type_;
    if (const FftPassLibrary *found = libraries_.pass(device_, whole, n, lines)) {
        const std::vector<View::Dim> line = {{n, 1}, {1, n}};
        pass({.pass = found,
            .first = along_line(factors.first, line),
            .last = along_line(factors.last, line),
            .endpoints = endpoints});
        return true;
    }
    // Up to 1024 points a convolution is as fast as a large radix (H200, 2026-11-29: 1020 x 1020 takes .0273
    // and .0300 ms, 1190 x 1190 .067 and .052).
    const auto is_direct = [&] {
        const std::vector<const Variant *> mixed = libraries_.mixed(device_, type_);
        return std::any_of(mixed.begin(), mixed.end(), [n](const Variant *variant) {
            const auto shape = variant->configuration<FftMixedShape>();
            return (n > 1024 || !shape.has_large_radices()) && is_smooth(n, shape.stages());
        });
    };
    if (type_ != Type::c64 || has_first || has_last || is_direct()) {
        return false;  // convolutions of one length are of f32
    }
    const FftPassLibrary *const found = libraries_.padded(device_, whole.lines, n),
                                *const as_row = columns && lines >= 32 ?
                                                    libraries_.padded(device_, Lines::along, n) :
                                                    nullptr;
    const bool is_shorter = as_row && (!found || as_row->shape.length() < found->shape.length());
    if (is_shorter && transposed(axis, endpoints, factors)) {
        return true;
    }
    if (!found) {
        return false;
    }
    const int64_t length = found->shape.length();
    const std::vector<View::Dim> line = {{length, 1}, {1, length}, {1, length}};
    const MakeFftTable chirp =
        along_line([=] { return fft_chirp(n, -1, Type::c64, length); }, {line[0], line[1]});
    pass({.pass = found,
        .first = chirp,
        .last = chirp,
        .response = along_line([=] { return chirp_response(n, found->shape); }, line),
        .endpoints = endpoints});
    return true;
}

bool PassPlan::two_passes(FieldAxis axis, const Endpoints &endpoints, const LineFactors &factors) {
    const bool columns = axis == FieldAxis::columns;
    const int64_t n = columns ? h_ : w_, lines = columns ? w_ : h_;
    const FftPassKind head_kind{.lines = Lines::across, .first_factor = (bool)factors.first};
    const FftPassKind tail_kind{.lines = columns ? Lines::across : Lines::transposed,
        .twiddled = true,
        .last_factor = (bool)factors.last};
    if (type_ != Type::c64 || (!std::has_single_bit((uint64_t)n) && n <= longest_pass)) {
        return false;  // FftMixed takes one pass, or such parts
    }
    for (const int64_t second : libraries_.lengths(device_, tail_kind)) {
        const int64_t first = n / second;
        if (first * second != n) {
            continue;
        }
        const FftPassLibrary *head = libraries_.pass(device_, head_kind, first, columns ? lines : second);
        const FftPassLibrary *tail = libraries_.pass(device_, tail_kind, second, columns ? lines : first);
        if (!head || !tail) {
            continue;
        }
        const LineLayout interleaved{Division::interleaved, axis, first, second};
        pass({.pass = head,
            .reads = interleaved,
            .writes = interleaved,
            .first = along_line(factors.first, {{first, second}, {second, 1}}),
            .endpoints = {.sign = endpoints.sign}});
        pass({.pass = tail,
                 .reads = {Division::consecutive, axis, second, first},
                 .writes = {Division::interleaved, axis, second, first},
                 .whole_length = n,
                 .last = along_line(factors.last, {{second, first}, {first, 1}}),
                 .endpoints = {.scale_re = endpoints.scale_re, .scale_im = endpoints.scale_im}},
            false);
        return true;
    }
    const bool as_columns = device_.backend != Backend::cpu && !columns && has_pass(h_) && has_pass(w_);
    return as_columns && transposed(axis, endpoints, factors);
}

bool PassPlan::transposed(FieldAxis axis, const Endpoints &endpoints, const LineFactors &factors) {
    const Variant *transposing = libraries_.of_form(device_.backend, "fft2d_transpose");
    if (!transposing) {
        return false;  // the program is linked with some schedules alone
    }
    transpose(*transposing);
    transform(axis == FieldAxis::columns ? FieldAxis::rows : FieldAxis::columns, endpoints, factors);
    transpose(*transposing);
    return true;
}

void PassPlan::pass(const FftPassCall &call, bool in_place) {
    step(*call.pass->variant, in_place, [call](Plan &plan, Device device, const Array &from, Array &to) {
        call.add_to(plan, device, from, to);
    });
}

void PassPlan::transpose(const Variant &variant) {
    std::swap(h_, w_);
    step(variant, false, [&variant](Plan &plan, Device device, const Array &from, Array &to) {
        plan.launch(variant, device).in("in", from, complex_words(from)).out("output", to, complex_words(to));
    });
}

void PassPlan::step(const Variant &variant, bool in_place, Add add) {
    steps_.push_back({&variant, in_place, {h_, w_}, std::move(add)});
}

void PassPlan::host(std::function<void(const Array &from, Array &to)> work) {
    steps_.push_back({nullptr, false, {h_, w_},
        [work = std::move(work)](Plan &plan, Device, const Array &from, Array &to) {
            plan.host([work, from, to]() mutable { work(from, to); });
        }});
}

bool PassPlan::uses(const Variant &variant) const {
    return std::any_of(
        steps_.begin(), steps_.end(), [&](const Step &step) { return step.variant == &variant; });
}

void PassPlan::add_to(Plan &plan, const Array &field, Array &output) const {
    // From the last step back: which array each step writes, `output` being the first of them.
    std::vector<Array> arrays = {output};
    std::vector<size_t> written(steps_.size(), 0);
    for (size_t i = steps_.size() - 1; i > 0; i--) {
        if (steps_[i].in_place) {
            written[i - 1] = written[i];
            continue;
        }
        size_t free = 0;
        while (free < arrays.size() && (free == written[i] || arrays[free].shape() != steps_[i - 1].shape ||
                                           arrays[free].type() != type_)) {
            free++;
        }
        if (free == arrays.size()) {
            arrays.push_back(Array::uninitialized(type_, steps_[i - 1].shape));
        }
        written[i - 1] = free;
    }
    for (size_t i = 0; i < steps_.size(); i++) {
        steps_[i].add(plan, device_, i == 0 ? field : arrays[written[i - 1]], arrays[written[i]]);
    }
}

}  // namespace tilewright
