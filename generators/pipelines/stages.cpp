// The operators that a pipeline composes: for each, its settings, what it takes and gives, and which rows of its table of schedules
// it prefers. A row is composable when its form takes a Func and its schedule does without buffers of known alignment.
#include "generators/algorithms/sums/band_sum.h"
#include "generators/pipelines/blur_of_flow.h"
#include "generators/algorithms/column_sum/column_sum.h"
#include "generators/algorithms/column_sum/sliced.h"
#include "generators/algorithms/gaussian_blur/gaussian_blur.h"
#include "generators/algorithms/gaussian_blur/window.h"
#include "generators/algorithms/gaussian_blur/window_dot.h"
#include "generators/algorithms/gaussian_blur/window_floats.h"
#include "generators/algorithms/invert/invert.h"
#include "generators/row_generator.h"
#include "generators/algorithms/row_sum/row_sum.h"
#include "generators/algorithms/row_sum/sliced.h"
#include "generators/algorithms/row_sum/tree.h"
#include "generators/pipelines/stage.h"
#include "generators/algorithms/transpose/transpose.h"
#include "generators/algorithms/transpose/blocks.h"
#include "schedules/pipeline.h"
#include <algorithm>

namespace tilewright {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::Var;

namespace {

// A row by its name, with further values for its tunables ("width=128,pad=4"). A schedule function serves any type that its form
// serves, so a row may be taken from the types of another one.
struct Choice {
    std::string op, schedule, type, values = {};

    const Row &row(const Place &place) const {
        return find_row(find_table(op), schedule, type, place.backend());
    }
    Site site(const Place &place) const {
        // Nothing is asked of the buffers of a pipeline: what a schedule says of alignment goes to buffers that nobody has.
        std::vector<Halide::OutputImageParam> nobodys;
        for (int i = 0; i < 3; i++) {
            nobodys.push_back(Halide::ImageParam(Halide::UInt(8), 4, Halide::Internal::unique_name("nobodys")));
        }
        return {place.target, type, nobodys, with_values(row(place).tunables, values), {}, row(place).configured};
    }
    int tunable(const std::string &name, const Place &place) const {
        return site(place)[name];
    }
    // The schedule of a form, to be applied when the whole pipeline is composed.
    template<typename Form>
    std::function<void()> schedule_of(std::shared_ptr<Form> form, const Place &place) const {
        if (row(place).form != Form::name) {
            throw std::logic_error(op + "/" + schedule + " schedules " + row(place).form + ", not " + Form::name);
        }
        return [form, choice = *this, place] {
            Site site = choice.site(place);
            choice.row(place).apply(form.get(), site);
        };
    }
};

void no_settings(const std::string &op, const StageSettings &settings) {
    if (!settings.empty()) {
        throw StageRefusal("there is no option '" + settings.begin()->first + "'; " + op + " takes none");
    }
}

void expect_image(const Shape &in, std::initializer_list<const char *> elements, int most_channels) {
    const bool known = std::find(elements.begin(), elements.end(), in.element) != elements.end();
    if (in.vector || !known || in.channels > most_channels) {
        std::string takes;
        for (const char *element : elements) {
            takes += (takes.empty() ? "" : " or ") + std::string(element);
        }
        throw StageRefusal("takes a " + takes + " image" + (most_channels == 1 ? " of one channel" : "") + ", and gets a " + in.str());
    }
}

Flow flow_of(const Flow &in, Shape shape, Func rows, bool turned = false) {
    return {std::move(shape), rows, turned ? in.height : in.width, turned ? in.width : in.height};
}

// ------------------------------------------------------------------------------------------------------------- invert

class InvertStage : public Stage {
public:
    explicit InvertStage(const StageSettings &settings) {
        no_settings("invert", settings);
    }
    Nature nature() const override {
        return Nature::point;
    }
    Shape check(const Shape &in) const override {
        expect_image(in, {"u8"}, 4);
        return in;
    }
    Flow define(const Flow &in) const override {
        return flow_of(in, in.shape, Invert(in.rows).out);
    }
    Made make(const Flow &in, const Place &place) const override {
        auto form = std::make_shared<Invert>(in.rows);
        return {flow_of(in, in.shape, form->out), Choice{"invert", "tuned", "u8"}.schedule_of(form, place)};
    }
};

// ---------------------------------------------------------------------------------------------------------- transpose

// Colours as (x, y, c), and back.
Func planes(const Flow &in) {
    const Var x{"x"}, y{"y"}, c{"c"};
    Func made{"planes"};
    made(x, y, c) = in.rows(in.shape.channels * x + c, y);
    return made;
}

Func rows_of_planes(Func made, int channels) {
    const Var x{"x"}, y{"y"};
    Func rows{"rows"};
    rows(x, y) = made(x / channels, y, x % channels);
    return rows;
}

class TransposeStage : public Stage {
public:
    explicit TransposeStage(const StageSettings &settings) {
        no_settings("transpose", settings);
    }
    Nature nature() const override {
        return Nature::turn;
    }
    Shape check(const Shape &in) const override {
        expect_image(in, {"u8", "u16", "f32"}, 4);
        return in;
    }
    Sizes sizes(const Shape &in, const Place &place) const override {
        if (place.on_gpu()) {
            return {};
        }
        const Choice choice{"transpose", "tuned_blocks", row_type(in)};
        return {choice.tunable("height", place), choice.tunable("width", place)};
    }
    Flow define(const Flow &in) const override {
        return turned(in, Transpose(in.shape.channels > 1 ? planes(in) : in.rows).out);
    }
    Made make(const Flow &in, const Place &place) const override {
        const std::string type = row_type(in.shape);
        if (!place.on_gpu() || in.shape.channels > 1) {
            auto form = std::make_shared<Transpose>(in.shape.channels > 1 ? planes(in) : in.rows);
            const Flow flow = turned(in, form->out);
            if (place.on_gpu()) {
                const std::function<void()> direct = Choice{"transpose", "direct", "u8"}.schedule_of(form, place);
                return {flow, [form, direct, channels = in.shape.channels] {
                            direct();
                            colours_in_a_thread(form->out, channels);
                        }};
            }
            return {flow, Choice{"transpose", place.large ? "tuned_blocks" : "tuned_any", type}.schedule_of(form, place)};
        }
        // Of bytes, the rows that are tuned see memory in words; tiles of bytes take any Func.
        const Choice choice = type == "u8" ? Choice{"transpose", "padded", "u8", "width=128,height=128,across=32,down=8,pad=4"} :
                                             Choice{"transpose", "tuned_any", type};
        const Site s = choice.site(place);
        const BlockShape shape{s["width"], s["height"], s["across"], s["down"], 1, false};
        auto form = std::make_shared<TransposeBlocks>(in.rows, in.height, in.width, 0, shape);
        return {turned(in, form->out), choice.schedule_of(form, place)};
    }

private:
    static std::string row_type(const Shape &shape) {
        return shape.channels > 1 ? "rgb8" : shape.element;
    }
    static Flow turned(const Flow &in, Func out) {
        Flow flow = flow_of(in, in.shape, in.shape.channels > 1 ? rows_of_planes(out, in.shape.channels) : out, true);
        flow.made = out;
        return flow;
    }
};

// ------------------------------------------------------------------------------------------------------ gaussian_blur

class GaussianBlurStage : public WindowStage {
public:
    explicit GaussianBlurStage(const StageSettings &settings) {
        const std::vector<std::string> borders = {"reflect", "mirror", "nearest", "zero"};
        double sigma = 0;
        for (const auto &[name, value] : settings) {
            if (name == "sigma") {
                char *end = nullptr;
                sigma = std::strtod(value.c_str(), &end);
                if (value.empty() || *end || !(sigma > 0 && sigma <= largest_sigma)) {
                    throw StageRefusal("sigma '" + value + "' must be a number above 0 and at most 64 (larger ones run in `tilewright pipeline`)");
                }
            } else if (name == "border") {
                border_ = (int)(std::find(borders.begin(), borders.end(), value) - borders.begin());
                if (border_ == (int)borders.size()) {
                    throw StageRefusal("there is no border '" + value + "'; it takes reflect, mirror, nearest or zero");
                }
            } else {
                throw StageRefusal("there is no option '" + name + "'; gaussian_blur takes sigma and border");
            }
        }
        if (sigma == 0) {
            sigma = 1;  // the operator's default
        }
        weights_ = GaussianWeights::of(sigma);
    }
    Nature nature() const override {
        return Nature::window;
    }
    int radius() const override {
        return weights_->radius;
    }
    int border() const override {
        return border_;
    }
    const GaussianWeights &weights() const override {
        return *weights_;
    }
    Shape check(const Shape &in) const override {
        expect_image(in, {"u8", "u16", "f32"}, 4);
        return in;
    }

    // Large images are larger than the window reaches, so that no more than one reflection happens.
    Sizes sizes(const Shape &in, const Place &place) const override {
        if (!place.on_gpu()) {
            return {};
        }
        Sizes sizes{radius() + 1, radius() + 1};
        if (const Choice choice = window_row(in); !choice.op.empty()) {
            const int rows = choice.tunable("rows", place) * choice.tunable("groups", place);
            if (in.element == "f32" && choice.tunable("large", place)) {
                sizes.least_width = choice.tunable("columns", place) + 2 * radius() + 8;
                sizes.least_height = rows + radius();
            }
            sizes.most_height = 65535ll * rows;  // a grid has no more blocks downwards
        }
        return sizes;
    }

    Made make(const Flow &in, const Place &place) const override {
        if (!place.on_gpu()) {
            const bool floats = in.shape.element == "u8" && weights_->bytes.fits_f32();
            return floats ? lines<GaussianBlurFloats>(in, place, "tuned_floats") : lines<GaussianBlur>(in, place, "tuned_any");
        }
        if (const Choice choice = window_row(in.shape); place.large && !choice.op.empty() && !(in.shape.element == "u8" && place.last)) {
            return in.shape.element == "f32" ? window(in, place, choice) : window_of_words(in, place, choice);
        }
        return place.large ? taps<GaussianBlurNear>(in, place, "tuned_near") : taps<GaussianBlur>(in, place, "tuned_any");
    }

private:
    static constexpr double largest_sigma = 64;
    int border_ = 0;
    std::shared_ptr<const GaussianWeights> weights_;

    // The row of a fixed radius that makes both passes in one kernel. Of bytes it takes and makes words of four pixels, so the output
    // itself cannot be its result.
    Choice window_row(const Shape &in) const {
        const bool floats = in.element == "f32", bytes = in.element == "u8" && weights_->bytes.fits_f32();
        if (in.channels > 1 || !(floats || bytes)) {
            return {};
        }
        for (const int radius : {4, 9, 12, 20, 30, 40}) {
            if (weights_->radius <= radius) {
                return {"gaussian_blur", (floats && border_ != 3 ? "tuned_large_" : "tuned_window_") + std::to_string(radius), in.element};
            }
        }
        return {};
    }

    // How positions over the border are brought inside.
    BorderMap border_map(const Flow &in, bool large) const {
        const bool turns = border_ < 2;
        const auto high = [&](const Expr &n) { return border_ == 0 ? 2 * n - 1 : border_ == 1 ? 2 * n - 2 : n - 1; };
        return {turns ? -1 : 0, border_ == 0 ? -1 : 0, high(in.width), high(in.height), large ? Expr() : Expr(border_ == 3 ? 1 : 0), large};
    }

    Made window(const Flow &in, const Place &place, const Choice &choice) const {
        const Site s = choice.site(place);
        const BorderMap border = border_map(in, s["large"] != 0);
        const std::vector<Expr> taps(weights_->real.begin(), weights_->real.end());
        auto form = std::make_shared<GaussianBlurWindow>(in.rows, in.width, in.height, border, taps,
                                                         WindowTile{s["columns"], s["rows"], s["groups"], s["window"]});
        return {flow_of(in, in.shape, form->out), choice.schedule_of(form, place)};
    }

    Made window_of_words(const Flow &in, const Place &place, const Choice &choice) const {
        const Site s = choice.site(place);
        const BorderMap border = border_map(in, false);
        const WindowTile tile{s["columns"] / 4, s["rows"], s["groups"], s["window"] / 4};
        const Expr multiplier = cast<uint32_t>((int)weights_->bytes.multiplier);
        const Var x{"x"}, y{"y"};
        Func words{"words"};
        Expr word = cast<uint32_t>(0);
        for (int b = 0; b < 4; b++) {
            const Expr last = in.width - 1;
            word = word | (cast<uint32_t>(in.rows(unsafe_promise_clamped(min(4 * x + b, last), 0, last), y)) << (8 * b));
        }
        words(x, y) = word;
        if (place.backend() == "cuda") {
            auto form = std::make_shared<GaussianBlurWindowDot>(words, in.width, in.height, border, tap_words(), multiplier, tile, true,
                                                                WordOperations{{}, true});
            return {bytes_of(in, form->out), choice.schedule_of(form, place)};
        }
        std::vector<Expr> floats;
        for (const uint32_t tap : weights_->bytes.taps) {
            floats.push_back((float)tap);
        }
        auto form = std::make_shared<GaussianBlurWindowFloats>(words, in.width, in.height, border, floats, multiplier, tile);
        return {bytes_of(in, form->out), choice.schedule_of(form, place)};
    }

    // The taps four to a word, as constants.
    TapWords tap_words() const {
        TapWords taps(radius(), weights_->bytes.high);
        for (int phase = 0; phase < 4; phase++) {
            for (int k = 0; k < taps.words(); k++) {
                const size_t i = (size_t)(phase * taps.words() + k);
                const auto constant = [&](bool upper) { return WordOperations::hex(tap_word(weights_->bytes, radius(), phase, k, upper)); };
                taps.lower[i] = taps.used(phase, k, radius() + 1) ? constant(false) : Expr();
                taps.upper[i] = taps.used(phase, k, taps.high) ? constant(true) : Expr();
            }
        }
        return taps;
    }

    // What is made in words, byte by byte.
    static Flow bytes_of(const Flow &in, Func words) {
        const Var x{"x"}, y{"y"};
        Func bytes{"bytes"};
        bytes(x, y) = cast<uint8_t>(words(x / 4, y) >> cast<uint32_t>(8 * (x % 4)));
        Flow flow = flow_of(in, in.shape, bytes);
        flow.made = words;
        return flow;
    }

    // Rows of the definition on a GPU. Weights are constants of unrolled loops, or, where there are many, a table.
    template<typename Form>
    Made taps(const Flow &in, const Place &place, const std::string &schedule) const {
        const bool unrolled = radius() <= 40;
        const BlurOfFlow<Form> blur(in, *this, false);
        const Choice choice{"gaussian_blur", schedule, in.shape.element};
        const auto by_row = choice.schedule_of(blur.form, place);
        const int rows = schedule == "tuned_near" ? choice.tunable("rows", place) : 1;  // of a thread
        return {flow_of(in, in.shape, blur.form->out), [blur, by_row, unrolled, rows] {
                    by_row();
                    blur.form->along_sum.bound_extent(blur.form->y, rows);
                    if (unrolled) {
                        blur.form->down_sum.update().unroll(blur.form->i);
                        blur.form->along_sum.update().unroll(blur.form->j);
                    } else {
                        Func(blur.weight).compute_root().gpu_single_thread();
                    }
                }};
    }

    template<typename Form>
    Made lines(const Flow &in, const Place &place, const std::string &schedule) const {
        const BlurOfFlow<Form> blur(in, *this, true);
        return {flow_of(in, in.shape, blur.form->out), Choice{"gaussian_blur", schedule, in.shape.element}.schedule_of(blur.form, place)};
    }
};

// --------------------------------------------------------------------------------------------- column_sum and row_sum

class SumOfLines : public SumStage {
public:
    SumOfLines(const std::string &op, const StageSettings &settings) : op_(op) {
        for (const auto &[name, value] : settings) {
            if (name != "output-type") {
                throw StageRefusal("there is no option '" + name + "'; " + op + " takes output-type");
            }
            if (value != "u32" && value != "f32") {
                throw StageRefusal("output-type '" + value + "' must be u32 or f32");
            }
            output_ = value;
        }
    }
    Nature nature() const override {
        return Nature::sum;
    }
    bool of_columns() const override {
        return op_ == "column_sum";
    }
    Shape check(const Shape &in) const override {
        expect_image(in, {"u8", "u16", "f32"}, 1);
        if (in.element == "f32" && output_ == "u32") {
            throw StageRefusal("sums of an f32 image are f32; leave output-type out");
        }
        return {in.element == "f32" ? "f32" : output_.empty() ? "u32" : output_, 1, true};
    }
    Sizes sizes(const Shape &in, const Place &place) const override {
        if (place.on_gpu()) {
            return {};
        }
        const Choice choice{op_, "tuned_wide", in.element};
        return {choice.tunable("lanes", place)};
    }

    Made make(const Flow &in, const Place &place) const override {
        const Halide::Type element = element_type(in.shape.element), sum = element.is_float() ? element : Halide::UInt(32);
        const Halide::Type narrow = element == Halide::UInt(8) ? Halide::UInt(16) : sum, output = element_type(check(in.shape).element);
        const Choice choice{op_, place.large ? "tuned_wide" : "tuned_any", in.shape.element};
        if (place.on_gpu()) {
            return on_gpu(in, place, sum, output);
        }
        const Site s = choice.site(place);
        if (of_columns()) {
            auto form = std::make_shared<ColumnSumSliced>(in.rows, in.width, in.height, ColumnSumSliced::Shape{s["lanes"], s["rows"], s["slices"]}, narrow,
                                                          sum, output);
            return made(in, form, choice, place);
        }
        auto form = std::make_shared<RowSumSliced>(in.rows, in.width, s["lanes"], s["groups"], narrow, sum, output);
        return made(in, form, choice, place);
    }

private:
    std::string op_, output_;

    // The rows that are tuned see memory in words.
    Made on_gpu(const Flow &in, const Place &place, Halide::Type sum, Halide::Type output) const {
        if (!of_columns()) {
            const Choice choice{op_, "tree", "u8", "lanes=256"};
            auto form = std::make_shared<RowSumTree>(in.rows, in.width, in.height, choice.tunable("lanes", place), sum, output);
            return made(in, form, choice, place);
        }
        auto element = [&](const Expr &x, const Expr &y) {
            return in.rows(clamp(x, 0, in.width - 1), clamp(y, 0, in.height - 1));
        };
        auto form = std::make_shared<BandSum>(element, in.height, 128, 8, sum, output);
        return {flow_of(in, check(in.shape), form->out), [form] { bands_over_blocks(*form); }};
    }

    template<typename Form>
    Made made(const Flow &in, std::shared_ptr<Form> form, const Choice &choice, const Place &place) const {
        return {flow_of(in, check(in.shape), form->out), choice.schedule_of(form, place)};
    }
};

}  // namespace

Flow Stage::define(const Flow &) const {
    throw std::logic_error(text + " is neither a point nor a turn");
}

std::string Shape::str() const {
    return element + (vector ? " vector" : " image") + (channels > 1 ? " of " + std::to_string(channels) + " channels" : "");
}

std::string Place::backend() const {
    return target.has_feature(Halide::Target::CUDA) ? "cuda" : target.has_feature(Halide::Target::OpenCL) ? "opencl" : "cpu";
}

std::unique_ptr<Stage> make_stage(const std::string &op, const StageSettings &settings) {
    if (op == "invert") {
        return std::make_unique<InvertStage>(settings);
    }
    if (op == "transpose") {
        return std::make_unique<TransposeStage>(settings);
    }
    if (op == "gaussian_blur") {
        return std::make_unique<GaussianBlurStage>(settings);
    }
    if (op == "column_sum" || op == "row_sum") {
        return std::make_unique<SumOfLines>(op, settings);
    }
    const std::string known = "invert, gaussian_blur, transpose, column_sum and row_sum";
    for (const char *other : {"matmul", "min_plus_convolution", "fft2d", "fresnel", "recursive_gaussian"}) {
        if (op == other) {
            throw StageRefusal("it cannot be composed at build time (" + known + " can); `tilewright pipeline` runs it between other operators");
        }
    }
    throw StageRefusal("there is no such operator; a pipeline is made of " + known);
}

}  // namespace tilewright
