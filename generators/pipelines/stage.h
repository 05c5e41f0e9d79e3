#pragma once
// A stage of a pipeline: an operator with its settings, which computes a Func from a Func. Each kind of stage
// has a file in stages/.
#include "Halide.h"
#include "schedules/pipelines/stage_variants.h"
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tilewright {

// An error in a pipeline: one line that names the stage by number and text, and says what it got.
struct PipelineError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The image or vector between two stages, as far as it is known when the pipeline is built.
struct Shape {
    std::string element;  // "u8", "u16", "u32", "f32", "f64"; "f16" and "bf16", whose bits the Funcs have
    int channels = 1;     // interleaved
    bool vector = false;  // false: an image

    std::string str() const;  // "u8 image", "u8 image of 3 channels", "u32 vector"
};

// The same with its values. Images are rows of width * channels elements.
struct Flow {
    Shape shape;
    Halide::Func rows;           // (x, y): element x of row y; of a vector (x)
    Halide::Expr width, height;  // in pixels
    Halide::Func elements;  // what the last stage computes: `rows`, or a Func that `rows` reads, such as (x,
                            // y, c)

    Flow(Shape shape, Halide::Func rows, Halide::Expr width, Halide::Expr height)
        : shape(std::move(shape)), rows(rows), width(std::move(width)), height(std::move(height)),
          elements(rows) {}
};

// The sizes of the input that a stage serves. A pipeline is built twice: for all sizes, and for large images,
// which faster variants serve.
struct Sizes {
    int64_t least_width = 1, least_height = 1, most_width = INT32_MAX, most_height = INT32_MAX;
};

// The machine and the images that a stage is composed for.
struct StageTarget {
    Halide::Target target;
    bool large = false;  // the pipeline is for images of the sizes that the stages ask for
    bool last = false;   // the stage's result may be the output of the pipeline: its Func has the elements
                         // themselves
};

// The words of a stage after its name, "sigma=2": settings by the names of the operator's options.
using StageSettings = std::map<std::string, std::string>;

class Stage {
public:
    explicit Stage(std::string op) : op_(std::move(op)) {}
    virtual ~Stage() = default;

    // What an element of the output is computed from, which decides how a stage may be fused with its
    // neighbours.
    enum class AccessPattern {
        point,      // the element at the same position of the input
        transpose,  // the element at the transposed position
        window,     // the elements around its position
        sum,        // a whole row or column
    };
    virtual AccessPattern access() const = 0;

    // The shape of the output for a shape of the input. Throws StageRefusal if the stage does not take it.
    virtual Shape check(const Shape &) const = 0;

    // The result of a stage, and the function that schedules it.
    struct Composed {
        Flow flow;
        std::function<void()> schedule;
    };

    // For staged pipelines: the form that the best variant of schedules/pipelines/stage_variants.h schedules,
    // with that variant as its schedule.
    virtual Composed compose(const Flow &, const StageTarget &) const = 0;

    // The sizes of its input that compose() for large images serves.
    virtual Sizes sizes(const Shape &, const StageTarget &) const;

    // For fused pipelines, points and transposes: the definition without a schedule.
    virtual Flow define(const Flow &) const;

    std::string text;  // as the pipeline's author wrote it

protected:
    // The variant for this stage.
    ChosenVariant variant(const Shape &in, const StageTarget &target) const;
    // The request for that variant; a kind of stage adds its own conditions.
    virtual StageRequest request(const Shape &in, const StageTarget &target) const;

    // Refuses settings, for operators that take none, and images of other element types or more channels.
    void expect_no_settings(const StageSettings &settings) const;
    static constexpr std::initializer_list<const char *> all_elements = {
        "u8", "u16", "f16", "bf16", "f32", "f64"};
    static void expect_image(
        const Shape &in, std::initializer_list<const char *> elements, int most_channels);

private:
    std::string op_;
};

// The flow of an image that a stage computes in `rows`. `transposed`: width and height change places.
Flow flow_of(const Flow &in, Shape shape, Halide::Func rows, bool transposed = false);

// Why a stage does not take its settings or its input; the pipeline adds which stage it is.
struct StageRefusal : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The stage of this operator. Throws StageRefusal.
std::unique_ptr<Stage> make_stage(const std::string &op, const StageSettings &settings);

// A stage that reads a window: the Gaussian blur with constant weights.
struct GaussianWeights;
class WindowStage : public Stage {
public:
    using Stage::Stage;
    virtual int radius() const = 0;
    virtual int border() const = 0;  // a BorderRule, as a number
    virtual const GaussianWeights &weights() const = 0;
};

// A sum over columns or rows.
class SumStage : public Stage {
public:
    using Stage::Stage;
    virtual bool of_columns() const = 0;
    virtual Halide::Func numbers(const Flow &) const = 0;  // the rows of elements as the numbers to add
};

}  // namespace tilewright
