#pragma once
// A generator of somebody else's as an operator: its variants are what the generator can build, and its front
// asks the libraries themselves which arguments they take. So all commands work on it as on ours.
#include "apps/tilewright/foreign/foreign_generator.h"
#include "runtime/dispatch/operator_of.h"
#include "tilewright/workload.h"
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilewright::app {

// The buffers of a call as the library wants them: minima, extents, and strides of dense memory.
struct BufferShapes {
    std::vector<std::vector<View::Dim>> inputs;
    std::vector<View::Dim> output;
};

struct ForeignRequest : Request {
    std::shared_ptr<const BufferShapes> shapes;
    std::vector<uint64_t> scalars;  // their bytes, in the order of the metadata
};

class ForeignOperator : public OperatorOf<ForeignRequest> {
public:
    // `base` is a loaded library of the generator for the CPU. Errors: usage and failed, for arguments that
    // are not taken here, and for a reference that takes others.
    ForeignOperator(const std::string &name, const ForeignGenerator &generator, const Variant &base);

    // The variant that says which arguments the generator's libraries have.
    const Variant &base() const {
        return base_;
    }
    // What its library says of them.
    const halide_filter_metadata_t &metadata() const {
        return *base_.metadata();
    }
    const halide_filter_argument_t &output() const;
    double tolerance() const;  // of two results, relative; 0: they are the same bytes

    // The variant with its library, which is built at the first use. Errors: those of built_variant().
    const Variant &loaded(const Variant &variant) const;

    // The inputs that the library wants for a sample of this output size, which the settings have: random.
    Sample sample(const Settings &settings) const;

    // Pictures (h, w, c) in the order of the library's dimensions, and the largest output that they allow,
    // which is added to the settings. Errors: input.
    std::vector<Array> arranged(const std::vector<Array> &pictures, Settings &settings) const;

    using OperatorOf::plan;
    tilewright::Plan plan(
        const Variant &variant, Device device, const ForeignRequest &request, Array &output) const override;

protected:
    ForeignRequest read(std::span<const Array> inputs, const Settings &settings) const override;
    bool form_serves(
        const Variant &variant, const ForeignRequest &request, const Array &output) const override;

private:
    const Variant &load(const Variant &variant) const;
    Settings completed(Settings settings) const;  // with the defaults of the library's numbers
    std::vector<uint64_t> scalars(const Settings &settings) const;
    std::shared_ptr<const BufferShapes> shapes(
        const std::vector<int64_t> &extents, const std::vector<uint64_t> &scalars) const;

    struct Loaded {
        std::unique_ptr<const Variant> variant;
        std::exception_ptr failure;  // of the build, which is tried once
    };
    const ForeignGenerator &generator_;
    const Variant base_;
    mutable std::mutex mutex_;
    mutable std::map<std::string, Loaded> loaded_;
    mutable std::map<std::pair<std::vector<int64_t>, std::vector<uint64_t>>,
        std::shared_ptr<const BufferShapes>>
        shapes_;
};

// The operator of these words; the same words mean the same operator. Its variants are `own` (family
// `tuned`) and one per autoscheduler, of each backend, and `reference`. Errors: those of ForeignGenerator and
// ForeignOperator, and those of the first build.
const ForeignOperator &foreign_operator(const ForeignWords &words);

}  // namespace tilewright::app
