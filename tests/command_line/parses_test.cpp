// How often a call of the program reads its arguments, and that no exception is thrown on the way of a good
// one.
#include "apps/tilewright/program.h"
#include "runtime/dispatch/operator_of.h"
#include "runtime/process/immortal.h"
#include "tests/support/arrays.h"
#include "tests/support/files.h"
#include "tilewright/column_sum.h"
#include "tilewright/fft2d.h"
#include "tilewright/files.h"
#include "tilewright/fresnel.h"
#include "tilewright/gaussian_blur.h"
#include "tilewright/generated.h"
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <memory>

namespace {
int thrown = 0;
}  // namespace

// Every exception of the process comes through here, in place of the C++ library's own function.
[[noreturn]] void count_throw(void *exception, void *type, void (*destroy)(void *)) __asm__("__cxa_throw");
void count_throw(void *exception, void *type, void (*destroy)(void *)) {
    static const auto real = reinterpret_cast<decltype(&count_throw)>(dlsym(RTLD_NEXT, "__cxa_throw"));
    thrown++;
    real(exception, type, destroy);
    __builtin_unreachable();
}

namespace tilewright {
namespace {

int parses = 0;

struct CountedRequest : Request {
    const Operator *op = nullptr;
    std::shared_ptr<const Request> own;  // of the operator that is called
};

std::vector<Variant> variants_of(const std::string &op) {
    Variant variant = generated_variant(op, "tuned", "any", Backend::cpu, nullptr, nullptr);
    variant.form = "counted";
    return {variant};
}

// Calls the operator that is counted.
struct CountedForm final : FormOf<CountedRequest> {
    using FormOf::FormOf;

    Plan plan(const OperatorOf<CountedRequest> &, const Variant &, Device device,
        const CountedRequest &request, Array &output) const override {
        Plan plan;
        plan.host([device, op = request.op, own = request.own, output]() mutable {
            op->call(*own, output, {.device = device});
        });
        return plan;
    }
};
constexpr CountedForm counted_form("counted");

// Another operator under the name counted_..., which counts how often its arguments are read.
class Counted : public OperatorOf<CountedRequest> {
public:
    explicit Counted(const Operator &of)
        : OperatorOf({.name = "counted_" + of.name(),
                         .summary = of.summary(),
                         .inputs = of.inputs(),
                         .makes = of.makes(),
                         .options = of.options(),
                         .optional_input = of.optional_input()},
              variants_of("counted_" + of.name()), {&counted_form}),
          of_(of) {}

    Settings settings_for(
        const std::string &kind, std::span<const Array> inputs, const Settings &settings) const override {
        return of_.settings_for(kind, inputs, settings);
    }
    Array premultiplied(const Array &image) const override {
        return of_.premultiplied(image);
    }
    Array unpremultiplied(const Array &image, Type type) const override {
        return of_.unpremultiplied(image, type);
    }

protected:
    CountedRequest read(std::span<const Array> inputs, const Settings &settings) const override {
        parses++;
        CountedRequest request;
        request.op = &of_;
        request.own = of_.parse(inputs, settings);
        request.type = "any";
        request.output_type = request.own->output_type;
        request.output_shape = request.own->output_shape;
        return request;
    }

private:
    const Operator &of_;
};

template<const Operator &(*of)()>
const Operator &counted() {
    return immortal([] { return Counted(of()); });
}

[[maybe_unused]] const bool added = [] {
    add_operator(counted<gaussian_blur_operator>);
    add_operator(counted<column_sum_operator>);
    add_operator(counted<fft2d_operator>);
    add_operator(counted<fresnel_operator>);
    return true;
}();

class Parses : public testing::Test {
protected:
    void SetUp() override {
        write_array(path("grey.png"), random_array<uint8_t>({40, 70}));
        write_array(path("photo.png"), random_array<uint8_t>({40, 70, 3}));
        write_array(path("alpha.png"), random_array<uint8_t>({40, 70, 4}));
        write_array(path("deep.png"), random_array<uint16_t>({40, 70, 3}));
    }
    std::string path(const std::string &name) const {
        return folder_.file(name);
    }

    // Runs `tilewright COMMAND INPUT OUTPUT OPTIONS`, which must succeed, and expects that it reads its
    // arguments at most `most` times.
    void expect_parses(int most, std::vector<std::string> command, const std::string &input,
        const std::string &output, const std::vector<std::string> &options = {}) const {
        command.insert(command.begin(), "tilewright");
        command.insert(command.end(), {path(input), path(output), "--device", "cpu"});
        command.insert(command.end(), options.begin(), options.end());
        std::vector<char *> words;
        for (std::string &word : command) {
            words.push_back(word.data());
        }
        parses = thrown = 0;
        EXPECT_EQ(app::program((int)words.size(), words.data(), [](app::CommandLine &) {}), 0) << command[1];
        EXPECT_GE(parses, 1) << command[1];
        EXPECT_LE(parses, most) << command[1] << " of " << input;
        EXPECT_EQ(thrown, 0) << command[1] << " of " << input;
    }

    const TestFolder folder_{};
};

TEST_F(Parses, AreOneForACallOfAnOperator) {
    for (const char *photo : {"grey.png", "photo.png", "alpha.png", "deep.png"}) {
        expect_parses(1, {"counted_gaussian_blur"}, photo, "out.png", {"--sigma", "2"});
        expect_parses(1, {"counted_fft2d"}, photo, "out.png", {"--crop"});
        expect_parses(1, {"counted_fft2d"}, photo, "out.npy", {"--pad"});
        expect_parses(1, {"counted_fresnel"}, photo, "out.png",
            {"--crop", "--wavelength", "532nm", "--distance", "5cm", "--pitch", "10um"});
    }
    expect_parses(1, {"counted_column_sum"}, "grey.png", "out.npy");
    expect_parses(3, {"counted_column_sum"}, "photo.png", "out.npy");  // a call per channel
}

TEST_F(Parses, AreOneForEachStageOfAPipeline) {
    expect_parses(2, {"pipeline", "counted_gaussian_blur sigma=2 | transpose | counted_column_sum"},
        "grey.png", "out.npy");
    expect_parses(1, {"pipeline", "transpose | counted_fft2d"}, "photo.png", "out.png", {"--crop"});
    // What multiplies colours by alpha gets another array when the pipeline runs.
    expect_parses(2, {"pipeline", "counted_gaussian_blur sigma=2"}, "alpha.png", "out.png");
}

// The functions of the test itself.
TEST_F(Parses, AndExceptionsAreCounted) {
    thrown = 0;
    EXPECT_ANY_THROW(counted<fft2d_operator>().type_of({}, {}));
    EXPECT_GE(thrown, 1);
}

}  // namespace
}  // namespace tilewright
