#pragma once
#include "generators/pipelines/stage.h"

namespace tilewright {

// Operators one after another as one Halide function, from their text:
//
//     Stages stages("gaussian_blur sigma=2 | transpose", "u8");
//     Flow turned = stages.compose(image, image.width(), image.height(), get_target());
//     output(x, y) = turned.rows(x, y) / 2;                  further Funcs of a generator of one's own
//     stages.schedule();                                     what was composed, each stage at its own root
//
// or, where the result of the last stage is the output itself,
//
//     output = turned.made;
//     stages.schedule(Stages::is_output);
//
// A stage is the name of an operator and its options, name=value (name:value is the same); the types are "u8", "u16", "f32" and "rgb8".
// The images begin at 0, 0. What a stage takes and gives is checked by the constructor; errors are PipelineError.
class Stages {
public:
    enum class Schedule {
        staged,  // every stage is computed by itself, by a row of its operator's own table
        fused,   // stages are computed tile by tile where they are consumed, as far as windows allow
    };
    static constexpr bool is_output = true;

    Stages(const std::string &text, const std::string &type, Schedule schedule = Schedule::staged);
    ~Stages();

    const std::string &text() const {
        return text_;
    }
    // What goes in and what comes out, as each stage has it: shapes()[i] goes into stage i.
    const std::vector<Shape> &shapes() const {
        return shapes_;
    }
    const Shape &input() const {
        return shapes_.front();
    }
    const Shape &output() const {
        return shapes_.back();
    }
    // Whether rows of the output stand for columns of the input; of vectors, whether an element stands for a row.
    bool turned() const;
    // Dimensions of the Func that comes out: 1 of vectors, 2 of images, 3 (x, y, c) of colours that a transpose comes out with.
    int dimensions() const;

    // The sizes that pipelines for large images take.
    Sizes sizes(const Place &place) const;

    // `rows`: the image, rows of width * channels elements.
    Flow compose(Halide::Func rows, Halide::Expr width, Halide::Expr height, const Halide::Target &target, bool large = false);

    // Schedules what compose() made.
    void schedule(bool last_is_output = false);

private:
    std::string text_;
    Schedule schedule_;
    std::vector<std::unique_ptr<Stage>> stages_;
    std::vector<Shape> shapes_;
    std::vector<std::function<void(bool last)>> schedules_;

    Flow compose_staged(Flow flow, const Place &place);
    Flow compose_fused(Flow flow, const Place &place);
    size_t compose_segment(Flow &flow, size_t first, const Place &place);
};

// "rgb8" and the like as a shape. Throws PipelineError.
Shape shape_of_type(const std::string &type);

}  // namespace tilewright
