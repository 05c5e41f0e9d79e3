// Opens the shared objects, and hands arrays to their functions.
#include "apps/laboratory/benchmark/peers.h"
#include "apps/laboratory/peer_libraries/peer_library.h"
#include "apps/tilewright/built_variants/generator_programs.h"
#include "apps/tilewright/timing/threads.h"
#include "runtime/arrays/storage.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/cuda/cuda.h"
#include "runtime/devices/opencl/opencl.h"
#include <algorithm>
#include <dlfcn.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>

namespace tilewright::app {

namespace {

struct Opened {
    const char *libraries;
    peers::AddPeers *add = nullptr;
    std::string why_not;  // empty where there is no such file
};

// It stays open, because its libraries may have threads.
Opened open(const peers::SharedObject &object) {
    const std::string file = find_program(object.file);
    if (file.empty()) {
        return {object.libraries, nullptr, ""};
    }
    const OnAnyCpu while_it_starts;  // OpenBLAS counts the CPUs of the thread that loads it
    void *const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    void *const found = handle ? dlsym(handle, peers::add_peers_name) : nullptr;
    return {object.libraries, (peers::AddPeers *)found, found ? "" : dlerror()};
}

// Those of a backend, opened once.
const std::vector<Opened> &opened(Backend backend) {
    static std::map<Backend, std::vector<Opened>> all;
    const auto [place, is_new] = all.try_emplace(backend);
    for (const peers::SharedObject &object : peers::shared_objects) {
        if (is_new && object.backend == std::string_view(name_of(backend))) {
            place->second.push_back(open(object));
        }
    }
    return place->second;
}

peers::PeerArray peer_array(const Array &array, void *data) {
    const std::vector<int64_t> &shape = array.shape();
    const bool is_vector = shape.size() == 1;
    return {data, is_vector ? 1 : shape[0], is_vector ? shape[0] : shape[1], shape.size() > 2 ? shape[2] : 1,
        is_vector ? shape[0] * (int64_t)size_of(array.type()) :
                    array.strides()[0] * (int64_t)size_of(array.type())};
}

peers::PeerArray on_device(const Array &array) {
    if (array.offset_bytes() != 0) {
        throw std::invalid_argument("peers take arrays that are no part of another one");
    }
    return peer_array(array, (void *)array.storage()->device_memory());
}

void call_on_device(
    Device device, const peers::LibraryPeer &peer, const std::vector<Array> &inputs, const Array &output) {
    std::optional<driver::InCudaContext> context;
    if (device.backend == Backend::cuda) {
        static const int first = device.index;  // libraries keep handles and memory of that device
        if (device.index != first) {
            throw std::invalid_argument(fmt::format(
                "peers run on one CUDA device per process; time those on {} alone", device.str()));
        }
        context.emplace(driver::cuda_context(device.index));
    }
    std::vector<peers::PeerArray> seen;
    for (const Array &input : inputs) {
        input.sync(device);
        seen.push_back(on_device(input));
    }
    output.storage()->hold(device, true, true);
    const std::shared_ptr<Storage> written(
        output.storage().get(), [](Storage *storage) { storage->release(true, false); });
    peer.run(seen, on_device(output));
}

void call_on_cpu(const peers::LibraryPeer &peer, const std::vector<Array> &inputs, Array &output) {
    std::vector<peers::PeerArray> seen;
    for (const Array &input : inputs) {
        seen.push_back(peer_array(input, const_cast<void *>(input.data())));
    }
    void *const written = output.data();
    const OnAnyCpu during_the_call;
    peer.run(seen, peer_array(output, written));
}

}  // namespace

std::vector<Peer> library_peers(
    const Operator &op, const std::string &type, const Settings &settings, Device device) {
    if (settings.text("pad", "no") == "yes" || settings.has("sigma-y") || settings.has("truncate")) {
        return {};  // they transform the sides of the input, and blur by one sigma and 4 of it
    }
    const auto sigma = std::ranges::find(op.options(), "sigma", &Option::name);
    const bool has_default = sigma != op.options().end() && !sigma->value.empty();
    peers::PeerProblem problem = {op.name(), type, settings.text("border", "reflect"),
        settings.text("direction", "forward"), settings.text("half", "no") == "yes",
        settings.number("sigma", has_default ? std::stod(sigma->value) : 0)};
    if (device.backend == Backend::opencl) {
        driver::open(device);
        problem.queue = driver::opencl_device(device.index, true)->queue;
    }
    std::vector<peers::LibraryPeer> found;
    const OnAnyCpu while_libraries_start;
    for (const Opened &one : opened(device.backend)) {
        if (one.add) {
            one.add(problem, found);
        }
    }
    std::vector<Peer> all;
    for (const peers::LibraryPeer &peer : found) {
        all.push_back({peer.name, true,
            [=](const Sample &sample, Array &output) {
                return [=, &output, inputs = sample.inputs] {
                    if (device.backend == Backend::cpu) {
                        call_on_cpu(peer, inputs, output);
                    } else {
                        call_on_device(device, peer, inputs, output);
                    }
                };
            },
            peer.off});
    }
    return all;
}

std::vector<std::string> missing_peers(Backend backend) {
    std::vector<std::string> missing, absent;
    for (const Opened &one : opened(backend)) {
        if (!one.add && one.why_not.empty()) {
            absent.emplace_back(one.libraries);
        } else if (!one.add) {
            missing.push_back(fmt::format("{}: {}", one.libraries, one.why_not));
        }
    }
    if (!absent.empty()) {
        missing.push_back(fmt::format("{}: not beside the generators; they are built where the libraries are "
                                      "found (`cmake --build BUILD --target peer_libraries`; "
                                      "docs/performance/peers.md)",
            fmt::join(absent, ", ")));
    }
    return missing;
}

}  // namespace tilewright::app
