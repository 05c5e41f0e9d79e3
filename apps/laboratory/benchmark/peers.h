#pragma once
// Peers: what a user would call without this project. `bench --peers` times them in the same way as the
// variants.
#include "tilewright/operator.h"
#include "tilewright/workload.h"
#include <functional>
#include <string>
#include <vector>

namespace tilewright::app {

struct Peer {
    std::string name;      // "plain loop, 1 thread"
    bool computes = true;  // it computes the operator's output; a copy only moves as many bytes
    // The call on data and an output that keep their places; what does not depend on the data (weights,
    // plans) is made before.
    std::function<std::function<void()>(const Sample &, Array &)> prepare;
    double off = 0;  // how far a value may be from the definition's, where that is more than usual
};

// The peers for an operator, a type and settings on a device; and of these, those that the shared objects of
// apps/laboratory/peer_libraries have, which are there where they were built.
std::vector<Peer> peers_of(
    const Operator &op, const std::string &type, const Settings &settings, Device device);
std::vector<Peer> library_peers(
    const Operator &op, const std::string &type, const Settings &settings, Device device);

// The libraries of a backend that are not there, and why, as sentences.
std::vector<std::string> missing_peers(Backend backend);

// A copy of half of the bytes that the operator moves, so that reads and writes together are as many. All
// threads take part.
Peer copy_of(const Work &work);

}  // namespace tilewright::app
