// column_sum and row_sum as stages of a pipeline.
#include "generators/algorithms/column_sum/sliced.h"
#include "generators/algorithms/element_type.h"
#include "generators/algorithms/float_bits.h"
#include "generators/algorithms/row_sum/row_sum.h"
#include "generators/algorithms/row_sum/sliced.h"
#include "generators/algorithms/sums/band_sum.h"
#include "generators/algorithms/sums/sum_types.h"
#include "generators/pipelines/stages/kinds.h"

namespace tilewright {

namespace {

class SumOfLines : public SumStage {
public:
    SumOfLines(const std::string &op, const StageSettings &settings)
        : SumStage(op), of_columns_(op == "column_sum") {
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
    AccessPattern access() const override {
        return AccessPattern::sum;
    }
    bool of_columns() const override {
        return of_columns_;
    }
    Shape check(const Shape &in) const override {
        expect_image(in, all_elements, 1);
        const std::string sums = in.element[0] == 'u' ? (output_.empty() ? "u32" : output_) :
                                 in.element == "f64"  ? "f64" :
                                                        "f32";
        if (!output_.empty() && output_ != sums) {
            throw StageRefusal("sums of an " + in.element + " image are " + sums + "; leave output-type out");
        }
        return {sums, 1, true};
    }

    // 16-bit floats as numbers.
    Halide::Func numbers(const Flow &in) const override {
        if (!has_float_bits(in.shape.element)) {
            return in.rows;
        }
        const Halide::Var x{"x"}, y{"y"};
        Halide::Func numbers{"numbers"};
        numbers(x, y) = FloatBits{in.shape.element}.number(in.rows(x, y));
        return numbers;
    }

    Composed compose(const Flow &in, const StageTarget &target) const override {
        const Halide::Func rows = numbers(in);
        const Halide::Type element = element_type(in.shape.element), sum = sum_type(in.shape.element);
        const Halide::Type narrow = element == Halide::UInt(8) ? Halide::UInt(16) : sum;
        const Halide::Type output = element_type(check(in.shape).element);
        const ChosenVariant chosen = variant(in.shape, target);
        const ScheduleContext s = chosen.context();
        if (chosen.form() == ColumnSumSliced::name) {
            const ColumnSumSliced::Shape shape{
                s["lanes"], s["rows"], s["slices"], s["tile"], 1024 * s["task"]};
            return composed(in, chosen,
                std::make_shared<ColumnSumSliced>(rows, in.width, in.height, shape, narrow, sum, output));
        }
        if (chosen.form() == RowSumSliced::name) {
            return composed(in, chosen,
                std::make_shared<RowSumSliced>(rows, in.width, s["lanes"], s["groups"], narrow, sum, output));
        }
        if (chosen.form() == RowSum::name) {
            return composed(in, chosen, std::make_shared<RowSum>(rows, in.width, sum, output));
        }
        const auto value = [&](const Expr &x, const Expr &y) {
            return rows(clamp(x, 0, in.width - 1), clamp(y, 0, in.height - 1));
        };
        return composed(
            in, chosen, std::make_shared<BandSum>(value, in.height, s["in_band"], s["terms"], sum, output));
    }

private:
    bool of_columns_;
    std::string output_;

    template<typename Form>
    Composed composed(const Flow &in, const ChosenVariant &chosen, std::shared_ptr<Form> form) const {
        return {flow_of(in, check(in.shape), form->out), chosen.schedule_of(form)};
    }
};

}  // namespace

std::unique_ptr<Stage> column_sum_stage(const StageSettings &settings) {
    return std::make_unique<SumOfLines>("column_sum", settings);
}

std::unique_ptr<Stage> row_sum_stage(const StageSettings &settings) {
    return std::make_unique<SumOfLines>("row_sum", settings);
}

}  // namespace tilewright
