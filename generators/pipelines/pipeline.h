#pragma once
// Operators one after another as one Halide function, made from their text.
//
//     Stages stages("gaussian_blur sigma=2 | transpose", "u8");
//     Flow soft = stages.compose(image, image.width(), image.height(), get_target());
//     output(x, y) = soft.rows(x, y) / 2;   // further Funcs of a generator of one's own
//     stages.schedule();                    // schedules what was composed, each stage at its own root
//
// or, where the result of the last stage is the output itself,
//
//     output = soft.elements;
//     stages.schedule(Stages::is_output);
#include "generators/pipelines/stage.h"
#include "schedules/pipelines/pipeline.h"

namespace tilewright {

// A stage is written as the name of an operator and its options, name=value (name:value is the same). The
// types are "u8", "u16", "f16", "bf16", "f32" and "f64", of which the 16-bit floats are taken as their bits;
// "f32x3" is an image of three channels, and so are "rgb8" and "rgb16"; "rgba8" and "rgba16" have four. The
// images begin at 0, 0. The constructor checks what each stage
// takes and gives; errors are PipelineError.
class Stages {
public:
    enum class Schedule {
        staged,  // every stage is computed by itself, by a variant of its operator's own table
        fused,   // stages are computed tile by tile where they are consumed, as far as windows allow
    };
    static constexpr bool is_output = true;

    Stages(const std::string &text, const std::string &type, Schedule schedule = Schedule::staged);
    ~Stages();

    const std::string &text() const {
        return text_;
    }
    // The shapes between the stages: shapes()[i] is the input of stage i, and shapes()[i + 1] its output.
    const std::vector<Shape> &shapes() const {
        return shapes_;
    }
    const Shape &input() const {
        return shapes_.front();
    }
    const Shape &output() const {
        return shapes_.back();
    }
    // Whether rows of the output are columns of the input; of vectors, whether an element is the sum of a
    // row.
    bool transposed() const;
    // Dimensions of the Func that comes out: 1 of vectors, 2 of images, 3 (x, y, c) of colours that a
    // transpose computes.
    int dimensions() const;

    // The sizes that pipelines for large images serve.
    Sizes sizes(const StageTarget &target) const;

    // `rows`: the image, rows of width * channels elements.
    Flow compose(Halide::Func rows, Halide::Expr width, Halide::Expr height, const Halide::Target &target,
        bool large = false);

    // Schedules what compose() made.
    void schedule(bool last_is_output = false);

private:
    std::string text_;
    Schedule schedule_;
    std::vector<std::unique_ptr<Stage>> stages_;
    std::vector<Shape> shapes_;
    std::vector<std::function<void(bool last)>> schedules_;

    void check_for_fusing(size_t stage) const;
    Flow compose_staged(Flow flow, const StageTarget &target);

    // Fused pipelines: fused.cpp.
    struct Segment;
    struct Tile;
    Flow compose_fused(Flow flow, const StageTarget &target);
    Segment segment_from(size_t first) const;
    Tile blur_tile(Flow &flow, const WindowStage &stage, bool large,
        const std::shared_ptr<const FusedSchedule> &by) const;
    void compose_segment(
        Flow &flow, const Segment &segment, bool large, const std::shared_ptr<const FusedSchedule> &by);
    void compose_sums(
        Flow &flow, const Segment &segment, const Tile &tile, const std::shared_ptr<const FusedSchedule> &by);
    void compose_image(
        Flow &flow, const Segment &segment, const Tile &tile, const std::shared_ptr<const FusedSchedule> &by);
};

// The shape of images of a type: "u8", "u16", "f32" or "rgb8". Throws PipelineError.
Shape shape_of_type(const std::string &type);

}  // namespace tilewright
