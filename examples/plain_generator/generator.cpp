// A plain Halide generator: the sums of an image's rows, as the column sums of its transpose. Definitions
// take Funcs, so that they compose.
#include "Halide.h"
#include "generators/algorithms/column_sum/column_sum.h"
#include "generators/algorithms/transpose/transpose.h"

class SumsOfRows : public Halide::Generator<SumsOfRows> {
public:
    Input<Buffer<uint8_t, 2>> image{"image"};
    Output<Buffer<uint32_t, 1>> sums{"sums"};

    void generate() {
        tilewright::Transpose transpose(image);
        tilewright::ColumnSum columns(transpose.out, image.width(), Halide::UInt(32), Halide::UInt(32));
        sums = columns.out;

        transpose.out.compute_root()
            .vectorize(transpose.x, 16, TailStrategy::GuardWithIf)
            .parallel(transpose.y);
    }
};

HALIDE_REGISTER_GENERATOR(SumsOfRows, sums_of_rows)
