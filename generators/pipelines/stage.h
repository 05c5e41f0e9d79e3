#pragma once
#include "Halide.h"
#include "schedules/schedule.h"
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tilewright {

// What is wrong with a pipeline: one line that names the stage by number and text, and says what it got.
struct PipelineError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// What flows from one stage to the next, as far as it is known when the pipeline is made.
struct Shape {
    std::string element;  // "u8", "u16", "u32", "f32"
    int channels = 1;     // interleaved
    bool vector = false;  // else an image

    std::string str() const;  // "u8 image", "u8 image of 3 channels", "u32 vector"
};

// The same with its values. Images are rows of width * channels elements.
struct Flow {
    Shape shape;
    Halide::Func rows;           // (x, y): element x of row y; of a vector (x)
    Halide::Expr width, height;  // in pixels
    Halide::Func made;           // what the stage that came last made: `rows`, or a Func (x, y, c) that `rows` looks at

    Flow(Shape shape, Halide::Func rows, Halide::Expr width, Halide::Expr height)
        : shape(std::move(shape)), rows(rows), width(std::move(width)), height(std::move(height)), made(rows) {
    }
};

// For which sizes of its input a stage is made. A pipeline is made twice: for all sizes, and for large images, which faster rows take.
struct Sizes {
    int64_t least_width = 1, least_height = 1, most_width = INT32_MAX, most_height = INT32_MAX;
};

// Where a pipeline is made for.
struct Place {
    Halide::Target target;
    bool large = false;  // images of the sizes that the stages ask for
    bool last = false;   // the stage's result may be the output: its Func has the elements themselves

    std::string backend() const;  // as the tables of schedules name it
    bool on_gpu() const {
        return target.has_gpu_feature();
    }
};

// The words of a stage after its name, "sigma=2": settings by the names of the operator's options.
using StageSettings = std::map<std::string, std::string>;

// One stage of a pipeline: an operator with its settings, as definitions that take a Func and give one.
class Stage {
public:
    virtual ~Stage() = default;

    // How a stage may be fused with its neighbours.
    enum class Nature {
        point,   // an element of the output is made of the one in its place
        turn,    // ... of the one mirrored at the diagonal
        window,  // ... of those around its place
        sum,     // ... of a whole row or column
    };
    virtual Nature nature() const = 0;

    // What the stage gives for what it gets. Throws StageRefusal with the words why not.
    virtual Shape check(const Shape &) const = 0;

    // What a stage makes: the flow, and the function that schedules it.
    struct Made {
        Flow flow;
        std::function<void()> schedule;
    };

    // The definition, or a form of it, that the best composable row of the operator's table takes, and that row as its schedule.
    virtual Made make(const Flow &, const Place &) const = 0;

    // The sizes of its input that make() for large images serves.
    virtual Sizes sizes(const Shape &, const Place &) const {
        return {};
    }

    // For fusing. Points and turns: the definition without a schedule.
    virtual Flow define(const Flow &) const;

    std::string text;  // as it was written
};

// Why a stage does not take its settings or what it gets; the pipeline adds which stage it is.
struct StageRefusal : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The stage that the words mean. Throws StageRefusal.
std::unique_ptr<Stage> make_stage(const std::string &op, const StageSettings &settings);

// A window stage: the Gaussian blur with constant weights.
struct GaussianWeights;
class WindowStage : public Stage {
public:
    virtual int radius() const = 0;
    virtual int border() const = 0;  // as EndlessImage numbers it
    virtual const GaussianWeights &weights() const = 0;
};

// A sum over columns or rows.
class SumStage : public Stage {
public:
    virtual bool of_columns() const = 0;
};

}  // namespace tilewright
