// Opens the shared object, and hands arrays to its functions.
#include "apps/laboratory/benchmark/host_peers.h"
#include "apps/laboratory/host_peers/host_peers.h"
#include "apps/tilewright/built_variants/generator_programs.h"
#include "apps/tilewright/timing/threads.h"
#include <dlfcn.h>
#include <fmt/format.h>

namespace tilewright::app {

namespace {

struct Opened {
    peers::AddHostPeers *add = nullptr;
    std::string why_not;
};

// It stays open, because its libraries may have threads.
const Opened &opened() {
    static const Opened once = [] {
        const std::string file = find_program(peers::host_peers_file);
        if (file.empty()) {
            return Opened{nullptr,
                fmt::format("OpenCV and FFTW: {} is not beside the generators; it is built where one of them "
                            "is installed (`cmake --build BUILD --target host_peers`)",
                    peers::host_peers_file)};
        }
        void *const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        void *const found = handle ? dlsym(handle, peers::add_host_peers_name) : nullptr;
        return found ? Opened{(peers::AddHostPeers *)found, ""} :
                       Opened{nullptr, fmt::format("OpenCV and FFTW: {}", dlerror())};
    }();
    return once;
}

peers::HostArray host_array(const Array &array) {
    const std::vector<int64_t> &shape = array.shape();
    const bool is_vector = shape.size() == 1;
    return {const_cast<void *>(array.data()), is_vector ? 1 : shape[0], is_vector ? shape[0] : shape[1],
        shape.size() > 2 ? shape[2] : 1,
        is_vector ? shape[0] * (int64_t)size_of(array.type()) :
                    array.strides()[0] * (int64_t)size_of(array.type())};
}

}  // namespace

std::vector<Peer> host_peers(const Operator &op, const std::string &type, const Settings &settings) {
    std::vector<peers::HostPeer> found;
    const OnAnyCpu while_libraries_start;
    if (opened().add && settings.text("half", "no") == "no") {
        opened().add({op.name(), type, settings.text("border", "reflect"),
                         settings.text("direction", "forward"), settings.number("sigma", 1)},
            found);
    }
    std::vector<Peer> all;
    for (const peers::HostPeer &peer : found) {
        all.push_back({peer.name, true,
            [run = peer.run](const Sample &sample, Array &output) {
                std::vector<peers::HostArray> inputs;
                for (const Array &input : sample.inputs) {
                    inputs.push_back(host_array(input));
                }
                return [=, &output] {
                    output.data();  // to be written
                    const OnAnyCpu during_the_call;
                    run(inputs, host_array(output));
                };
            },
            peer.off});
    }
    return all;
}

std::string why_no_host_peers() {
    return opened().why_not;
}

}  // namespace tilewright::app
