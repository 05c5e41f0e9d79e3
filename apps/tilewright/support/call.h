#pragma once
// What the commands of operators and `pipeline` share: options, and what is printed about a call.
#include "apps/tilewright/support/command_line.h"
#include "tilewright/device.h"
#include "tilewright/files.h"
#include "tilewright/operator.h"

namespace tilewright::app {

// Adds the options that limit what a PNG may hold, and returns them.
std::vector<Parameter> add_limits(Command &command, FileLimits &limits);

// Prints one line per warning to standard error.
void print_warnings(const Operator &op, const Remarks &remarks);

// For --stats, to standard error: what happened between two readings of the counters, and what the operator
// remarks on its call.
void print_costs(const Device &device, const Counters &before, const Counters &after, double total_ms);
void print_facts(const Remarks &remarks);

// "3 to the device (12.5 MB)"
std::string copies(uint64_t count, uint64_t size, const char *where);

}  // namespace tilewright::app
