// VkFFT on CUDA (VKFFT_BACKEND is 1) and OpenCL (3): two-dimensional transforms, forward.
#include "apps/laboratory/peer_libraries/peer_library.h"
#include <memory>
#include <stdexcept>
#include <vkFFT.h>

namespace peers {

namespace {

void check(VkFFTResult result) {
    if (result != VKFFT_SUCCESS) {
        throw std::runtime_error(std::string("VkFFT: ") + getVkFFTErrorString(result));
    }
}

// Where a plan runs, as VkFFT is told of it.
struct Place {
#if VKFFT_BACKEND == 1
    using Memory = void *;
    Place(const PeerProblem &, Memory) {
        cuCtxGetDevice(&device);
        cuCtxGetCurrent(&context);
    }
    void enter() {
        cuCtxPushCurrent(context);
    }
    void leave() {
        cuCtxPopCurrent(nullptr);
    }
    void tell(VkFFTConfiguration &about) {
        about.device = &device;
    }
    void tell(VkFFTLaunchParams &) {}

    CUdevice device = 0;
    CUcontext context = nullptr;
#else
    using Memory = cl_mem;
    // The context has one device.
    Place(const PeerProblem &problem, Memory memory) : queue((cl_command_queue)problem.queue) {
        clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof context, &context, nullptr);
        clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, nullptr);
    }
    void enter() {}
    void leave() {}
    void tell(VkFFTConfiguration &about) {
        about.device = &device;
        about.context = &context;
    }
    void tell(VkFFTLaunchParams &about) {
        about.commandQueue = &queue;
    }

    cl_context context = nullptr;
    cl_device_id device = nullptr;
    cl_command_queue queue;
#endif
};

// The plan for arrays of one shape.
class Plan {
public:
    Plan(const PeerProblem &problem, const PeerArray &in, const PeerArray &out)
        : place_(problem, (Place::Memory)in.data) {
        const pfUINT real = problem.type == "c128" ? sizeof(double) : sizeof(float);
        const pfUINT from = problem.half ? real : 2 * real, to = 2 * real;  // bytes of an element
        VkFFTConfiguration about = {};
        place_.tell(about);
        about.FFTdim = 2;
        about.size[0] = (pfUINT)in.width;
        about.size[1] = (pfUINT)in.height;
        about.performR2C = problem.half;
        about.doublePrecision = real == sizeof(double);
        about.makeForwardPlanOnly = 1;
        about.isInputFormatted = 1;
        for (int axis = 0; axis < 2; axis++) {
            about.inputBufferStride[axis] = (pfUINT)(in.pitch * (axis == 0 ? 1 : in.height)) / from;
            about.bufferStride[axis] = (pfUINT)(out.pitch * (axis == 0 ? 1 : out.height)) / to;
        }
        in_bytes_ = about.inputBufferStride[1] * from;
        out_bytes_ = about.bufferStride[1] * to;
        about.inputBufferSize = &in_bytes_;
        about.bufferSize = &out_bytes_;
        check(initializeVkFFT(&application_, about));
    }
    ~Plan() {
        place_.enter();
        deleteVkFFT(&application_);
        place_.leave();
    }
    Plan(const Plan &) = delete;

    void start(const PeerArray &in, const PeerArray &out) {
        VkFFTLaunchParams about = {};
        from_ = (Place::Memory)in.data;
        to_ = (Place::Memory)out.data;
        place_.tell(about);
        about.inputBuffer = &from_;
        about.buffer = &to_;
        constexpr int forward = -1;
        check(VkFFTAppend(&application_, forward, &about));
    }

private:
    Place place_;
    // VkFFT keeps the addresses of these.
    pfUINT in_bytes_ = 0, out_bytes_ = 0;
    Place::Memory from_ = {}, to_ = {};
    VkFFTApplication application_ = {};
};

}  // namespace

}  // namespace peers

extern "C" void tilewright_add_peers(
    const peers::PeerProblem &problem, std::vector<peers::LibraryPeer> &peers) {
    if (problem.op != "fft2d" || problem.direction != "forward") {
        return;
    }
    const int version = VkFFTGetVersion();  // 10304
    const auto plan = std::make_shared<std::unique_ptr<peers::Plan>>();
    peers.push_back({"VkFFT " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
                         "." + std::to_string(version % 100),
        0, [=](const std::vector<peers::PeerArray> &in, const peers::PeerArray &out) {
            if (!*plan) {
                *plan = std::make_unique<peers::Plan>(problem, in[0], out);
            }
            (*plan)->start(in[0], out);
        }});
}
