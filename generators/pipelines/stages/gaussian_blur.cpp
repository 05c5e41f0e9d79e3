// gaussian_blur as a stage of a pipeline.
#include "generators/algorithms/gaussian_blur/gaussian_blur.h"
#include "generators/algorithms/gaussian_blur/configuration.h"
#include "generators/algorithms/gaussian_blur/weights.h"
#include "generators/algorithms/gaussian_blur/window.h"
#include "generators/algorithms/gaussian_blur/window_dot.h"
#include "generators/instructions.h"
#include "generators/pipelines/stages/constant_blur.h"
#include "generators/pipelines/stages/kinds.h"
#include "schedules/pipelines/pipeline.h"
#include <algorithm>

namespace tilewright {

using Halide::cast;

namespace {

class GaussianBlurStage : public WindowStage {
public:
    explicit GaussianBlurStage(const StageSettings &settings) : WindowStage("gaussian_blur") {
        double sigma = 1;  // the operator's default
        for (const auto &[name, value] : settings) {
            if (name == "sigma") {
                sigma = sigma_of(value);
            } else if (name == "border") {
                border_ = border_of(value);
            } else {
                throw StageRefusal("there is no option '" + name + "'; gaussian_blur takes sigma and border");
            }
        }
        weights_ = GaussianWeights::of(sigma);
    }
    AccessPattern access() const override {
        return AccessPattern::window;
    }
    int radius() const override {
        return weights_->radius;
    }
    int border() const override {
        return (int)border_;
    }
    const GaussianWeights &weights() const override {
        return *weights_;
    }
    Shape check(const Shape &in) const override {
        expect_image(in, all_elements, 4);
        return in;
    }

    Sizes sizes(const Shape &in, const StageTarget &target) const override {
        const ChosenVariant chosen = variant(in, {target.target, true, target.last});
        Sizes sizes = WindowStage::sizes(in, target);
        if (chosen.form() == GaussianBlurNear::name || is_window(chosen)) {  // no more than one reflection
            sizes.least_height = radius() + 1;
            sizes.least_width = std::max<int64_t>(sizes.least_width, sizes.least_height);
        }
        if (is_window(chosen)) {
            sizes.most_height = window_variant(chosen).most_height();
        }
        return sizes;
    }

    Composed compose(const Flow &in, const StageTarget &target) const override {
        const ChosenVariant chosen = variant(in.shape, target);
        if (chosen.form() == GaussianBlurWindow::name) {
            return window(in, chosen);
        }
        if (is_window(chosen)) {
            return window_of_words(in, chosen);
        }
        if (chosen.form() == GaussianBlurLines::name) {
            return definition<GaussianBlurLines>(in, chosen);
        }
        if (chosen.form() == GaussianBlurNear::name) {
            return definition<GaussianBlurNear>(in, chosen);
        }
        return definition<GaussianBlur>(in, chosen);
    }

protected:
    StageRequest request(const Shape &in, const StageTarget &target) const override {
        StageRequest request = WindowStage::request(in, target);
        request.radius = radius();
        request.zero_border = border_ == BorderRule::zero;
        request.exact_floats = in.element == "u8" && weights_->bytes.fits_f32();
        return request;
    }

private:
    static constexpr double largest_sigma = 64;
    BorderRule border_ = BorderRule::reflect;
    std::shared_ptr<const GaussianWeights> weights_;

    static double sigma_of(const std::string &value) {
        char *end = nullptr;
        const double sigma = std::strtod(value.c_str(), &end);
        if (value.empty() || *end || !(sigma > 0 && sigma <= largest_sigma)) {
            throw StageRefusal(
                "sigma '" + value +
                "' must be a number above 0 and at most 64 (larger ones run in `tilewright pipeline`)");
        }
        return sigma;
    }
    static BorderRule border_of(const std::string &value) {
        const std::vector<std::string> borders = {"reflect", "mirror", "nearest", "zero"};
        const auto at = std::find(borders.begin(), borders.end(), value);
        if (at == borders.end()) {
            throw StageRefusal(
                "there is no border '" + value + "'; it takes reflect, mirror, nearest or zero");
        }
        return BorderRule(at - borders.begin());
    }

    static bool is_window(const ChosenVariant &chosen) {
        const std::string &form = chosen.form();
        return form == GaussianBlurWindow::name || form == GaussianBlurWindowDot::name;
    }

    static GaussianBlurWindowVariant window_variant(const ChosenVariant &chosen) {
        return {chosen.configuration<GaussianBlurWindowConfiguration>(),
            [&](const char *name) { return chosen.tunable(name); }};
    }

    BorderMap border_map(const Flow &in, bool zero) const {
        return {border_factor(border_), border_low(border_), border_high(border_, in.width),
            border_high(border_, in.height), zero ? Expr(border_ == BorderRule::zero ? 1 : 0) : Expr()};
    }

    Composed window(const Flow &in, const ChosenVariant &chosen) const {
        const GaussianBlurWindowVariant variant = window_variant(chosen);
        const BorderMap border = border_map(in, !variant.table);
        std::vector<Expr> taps(weights_->real.begin(), weights_->real.end()), fractions;
        if (in.shape.element == "u16") {
            taps.clear();
            for (const uint32_t tap : weights_->words16.taps) {
                taps.push_back(Expr(tap));
                fractions.push_back(Expr((float)tap * 0x1p-24f));
            }
        }
        const BlurArithmetic pass = BlurArithmetic::plain(element_type(in.shape.element), {});
        auto form = std::make_shared<GaussianBlurWindow>(
            in.rows, in.width, in.height, border, taps, fractions, pass, variant);
        return {flow_of(in, in.shape, form->out), chosen.schedule_of(form)};
    }

    Composed window_of_words(const Flow &in, const ChosenVariant &chosen) const {
        const BorderMap border = border_map(in, true);
        GaussianBlurWindowVariant variant = window_variant(chosen);
        variant.any_width = true;
        const Expr multiplier = cast<uint32_t>((int)weights_->bytes.multiplier);
        auto form = std::make_shared<GaussianBlurWindowDot>(words_of(in), in.width, in.height, border,
            tap_words(), multiplier, variant, word_operations(chosen.target()));
        return {bytes_of(in, form->out), chosen.schedule_of(form)};
    }

    // The rows of an image of bytes as words of four pixels. The last word repeats the last pixel.
    static Func words_of(const Flow &in) {
        const Var x{"x"}, y{"y"};
        Func words{"words"};
        Expr word = cast<uint32_t>(0);
        for (int b = 0; b < 4; b++) {
            const Expr last = in.width - 1;
            word = word | (cast<uint32_t>(in.rows(unsafe_promise_clamped(min(4 * x + b, last), 0, last), y))
                              << (8 * b));
        }
        words(x, y) = word;
        return words;
    }

    // The words of taps, as constants.
    TapWords tap_words() const {
        TapWords taps(TapWordShape{radius(), weights_->bytes.high});
        for (int phase = 0; phase < 4; phase++) {
            for (int k = 0; k < taps.words(); k++) {
                const size_t i = (size_t)(phase * taps.words() + k);
                const auto constant = [&](bool upper) {
                    return WordOperations::hex(tap_word(weights_->bytes, radius(), phase, k, upper));
                };
                taps.lower[i] = taps.used(phase, k, radius() + 1) ? constant(false) : Expr();
                taps.upper[i] = taps.used(phase, k, taps.high) ? constant(true) : Expr();
            }
        }
        return taps;
    }

    // The flow of an image that is computed in words.
    static Flow bytes_of(const Flow &in, Func words) {
        const Var x{"x"}, y{"y"};
        Func bytes{"bytes"};
        bytes(x, y) = cast<uint8_t>(words(x / 4, y) >> cast<uint32_t>(8 * (x % 4)));
        Flow flow = flow_of(in, in.shape, bytes);
        flow.elements = words;
        return flow;
    }

    template<typename Form>
    Composed definition(const Flow &in, const ChosenVariant &chosen) const {
        const bool unrolled = chosen.entry().unrolled_weights;
        const ConstantBlur<Form> blur(in, *this, !unrolled);
        const auto by_row = chosen.schedule_of(blur.form);
        const int rows = chosen.has_tunable("rows") ? chosen.tunable("rows") : 1;
        return {flow_of(in, in.shape, blur.form->out), [blur, by_row, unrolled, rows, radius = radius()] {
                    by_row();
                    if (unrolled) {
                        constant_weights(*blur.form, blur.weight, radius, rows);
                    }
                }};
    }
};

}  // namespace

std::unique_ptr<Stage> gaussian_blur_stage(const StageSettings &settings) {
    return std::make_unique<GaussianBlurStage>(settings);
}

}  // namespace tilewright
