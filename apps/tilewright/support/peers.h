#pragma once
#include "tilewright/operator.h"
#include "tilewright/workload.h"
#include <functional>
#include <string>
#include <vector>

// What a user would otherwise call on the CPU, timed beside the rows by the same loop.
namespace tilewright::app {

struct Peer {
    std::string name;  // "plain loop, 1 thread"
    bool computes = true;  // it makes the operator's output; a copy only moves as many bytes
    std::function<void(const Sample &, Array &)> run;
};

// The peers for an operator and type; and, as sentences, those that this program does not have and why.
std::vector<Peer> peers_of(const Operator &op, const std::string &type, const Sample &sample, const Work &work);
std::vector<std::string> missing_peers();

}  // namespace tilewright::app
