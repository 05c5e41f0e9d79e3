#include "generators/program/libraries/kernel_ptx.h"
#include "generators/algorithms/module_text.h"
#include "generators/algorithms/opencl_functions.h"
#include "generators/algorithms/tensor_product.h"
#include "generators/algorithms/tensor_text.h"
#include "generators/program/cpp_output.h"
#include "generators/program/libraries/kernel_limits.h"
#include "schedules/passes/thread_folds.h"
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace tilewright {

namespace {

using namespace Halide::Internal;

struct Kernel {
    Stmt loop;
    std::vector<DeviceArgument> arguments;
    std::optional<int64_t> shared_bytes;  // none: not known before it runs
};

// In the order in which Halide writes them. Each library is made in a process of its own.
std::vector<Kernel> kept;

// The calls of functions of OpenCL C as those that Halide's code for CUDA has.
class CallsOfCuda : public IRMutator {
protected:
    using IRMutator::visit;

    Expr visit(const Call *call) override {
        const Expr same = IRMutator::visit(call);
        call = same.as<Call>();
        const auto named = [&](const char *name) {
            return Call::make(call->type, name, call->args, Call::PureExtern);
        };
        if (call->name == dot_of_words) {
            return named("llvm.nvvm.idp4a.u.u");
        }
        if (call->name == pick_of_words) {
            return named("llvm.nvvm.prmt");
        }
        if (call->name == "fma") {
            return named(call->type.bits() == 64 ? "llvm.fma.f64" : "llvm.fma.f32");
        }
        if (call->name == float_of_half) {
            return cast(Halide::Float(32), reinterpret(Halide::Float(16), call->args[0]));
        }
        if (call->name == half_of_float) {
            return reinterpret(Halide::UInt(16), cast(Halide::Float(16), call->args[0]));
        }
        return same;
    }
};

class SharedMemory : public IRVisitor {
public:
    std::optional<int64_t> bytes = 0;

protected:
    using IRVisitor::visit;

    void visit(const Allocate *allocation) override {
        if (allocation->memory_type == Halide::MemoryType::GPUShared) {
            const int64_t size = (int64_t)allocation->constant_allocation_size() * allocation->type.bytes();
            bytes = bytes && size > 0 ? std::optional(*bytes + size) : std::nullopt;
        }
        IRVisitor::visit(allocation);
    }
};

class KeepKernels : public IRMutator, public DescribedPass {
public:
    std::string description() const override {
        return "kernels as PTX, too";
    }

protected:
    using IRMutator::visit;

    Stmt visit(const For *loop) override {
        if (!is_gpu(loop->for_type)) {
            return IRMutator::visit(loop);
        }
        HostClosure closure;
        closure.include(loop->body, loop->name);
        SharedMemory memory;
        loop->accept(&memory);
        kept.push_back({loop, closure.arguments(), memory.bytes});
        return loop;
    }
};

// A kernel of OpenCL C: its name, and those of its parameters.
struct Header {
    std::string name;
    std::vector<std::string> parameters;
};

std::vector<Header> headers_of(const std::string &opencl_c) {
    const std::string begin = "__kernel void ";
    std::vector<Header> all;
    for (size_t at = opencl_c.find(begin); at != std::string::npos; at = opencl_c.find(begin, at)) {
        at += begin.size();
        const size_t open = opencl_c.find('(', at), close = opencl_c.find(')', at);
        Header header{opencl_c.substr(at, open - at), {}};
        for (size_t from = open; from < close; from = opencl_c.find_first_of(",)", from + 1)) {
            const size_t end = opencl_c.find_first_of(",)", from + 1);
            if (end != std::string::npos && end <= close) {
                const size_t word = opencl_c.find_last_of(" *", end) + 1;
                header.parameters.push_back(opencl_c.substr(word, end - word));
            }
        }
        if (header.name != "_at_least_one_kernel") {  // Halide's own, which does nothing
            all.push_back(header);
        }
    }
    return all;
}

// In the order of the parameters, of which the last one is the local memory.
std::vector<DeviceArgument> sorted(const Kernel &kernel, const Header &header) {
    std::vector<DeviceArgument> all;
    for (const std::string &parameter : header.parameters) {
        const auto at = std::ranges::find_if(kernel.arguments,
            [&](const DeviceArgument &argument) { return c_print_name(argument.name) == parameter; });
        if (at != kernel.arguments.end()) {
            all.push_back(*at);
        }
    }
    if (all.size() != kernel.arguments.size() || all.size() + 1 != header.parameters.size()) {
        fail("the arguments of " + header.name + " in OpenCL C are not those of Halide's kernel");
    }
    return all;
}

// PTX for CUDA as NVIDIA's OpenCL takes it. It says which parameters are addresses of buffers, and that each
// kernel has its shared memory itself: of memory that a launch gives, the driver keeps 16 bytes. Where the
// size is known only then, the last parameter is that memory. Halide's code for CUDA counts its addresses
// from 0.
std::string for_opencl(
    std::string ptx, const std::vector<Kernel> &kernels, const std::vector<Header> &headers) {
    const std::string address = ".param .u64 .ptr ", target = ".target sm_";
    for (size_t at = ptx.find(address); at != std::string::npos; at = ptx.find(address, at + 1)) {
        ptx.insert(at + address.size(), ".global ");
    }
    for (size_t i = 0; i < kernels.size(); i++) {
        const std::string &name = headers[i].name;
        const size_t open = ptx.find(".entry " + name + "(") + 7 + name.size(), close = ptx.find(')', open);
        const std::optional<int64_t> bytes = kernels[i].shared_bytes;
        if (!bytes) {
            const size_t last = ptx.find_last_not_of('\n', close - 1);
            ptx.insert(last + 1, (last == open ? "" : ",") +
                                     std::string("\n\t.param .u64 .ptr .shared .align 16 ") + name +
                                     "_local");
        } else if (*bytes > 0) {
            ptx.insert(ptx.find("\n{", close) + 2,
                "\n\t.shared .align 1024 .b8 " + name + "_shared[" + std::to_string(*bytes) + "];");
        }
    }
    return ptx.insert(ptx.find('\n', ptx.find(target)), ", texmode_independent");
}

}  // namespace

void keep_kernels(Halide::Pipeline &pipeline, const Halide::Target &target) {
    if (target.has_feature(Halide::Target::OpenCL)) {
        pipeline.add_custom_lowering_pass(new KeepKernels);
    }
}

std::string with_ptx(const std::string &opencl_c, Halide::Target cuda) {
    const std::vector<Kernel> kernels = std::exchange(kept, {});
    const std::vector<Header> headers = headers_of(opencl_c);
    if (headers.size() != kernels.size()) {
        fail("OpenCL C has " + std::to_string(headers.size()) + " kernels, and the pipeline " +
             std::to_string(kernels.size()));
    }
    if (kernel_needs().images) {
        if (kernel_needs().shared_bytes > most_shared_bytes_of_opencl_c) {
            fail("kernels that read images are OpenCL C alone, in which a block has at most " +
                 std::to_string(most_shared_bytes_of_opencl_c) + " bytes of shared memory, and not " +
                 std::to_string(kernel_needs().shared_bytes));
        }
        return opencl_c;
    }
    cuda.os = Halide::Target::OSUnknown;
    cuda.arch = Halide::Target::ArchUnknown;
    const auto code = new_CodeGen_PTX_Dev(cuda);
    code->init_module();
    CallsOfCuda calls;
    for (size_t i = 0; i < kernels.size(); i++) {
        code->add_kernel(calls.mutate(kernels[i].loop), headers[i].name, sorted(kernels[i], headers[i]));
    }
    const std::string ptx = for_opencl(code->compile_to_src().data(), kernels, headers);
    const bool only_ptx = kernel_needs().tensor_products || kernel_needs().lane_products;
    return (only_ptx ? "" : opencl_c) + std::string(assembly_begin) + ptx + std::string(assembly_end);
}

}  // namespace tilewright
