// Samples of transpose: images of each pixel size. Its output has the same bytes as the definition's.
#include "runtime/workloads/image_workload.h"

namespace tilewright {

namespace {

class TransposeWorkload : public ImageWorkload {
public:
    using ImageWorkload::ImageWorkload;

    std::vector<Sample> samples(const std::string &type) const override {
        std::vector<Sample> all = ImageWorkload::samples(type);
        // from 4 MiB on: for variants that serve no less
        all.push_back(benchmark_sample(type, {2050, 2100}, {}));
        return all;
    }

protected:
    Pixel pixel_of(const std::string &type) const override {
        return type == "rgb8"  ? Pixel{Type::u8, 3} :
               type == "rgb16" ? Pixel{Type::u16, 3} :
               type == "u64"   ? Pixel{Type::f64, 1} :
               type == "words" ? Pixel{Type::f32, 3} :
                                 ImageWorkload::pixel_of(type);
    }
};

}  // namespace

std::unique_ptr<Workload> transpose_workload(const Operator &op) {
    return std::make_unique<TransposeWorkload>(op);
}

}  // namespace tilewright
