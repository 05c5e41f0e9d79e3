#pragma once
#include "apps/tilewright/support/command_line.h"
#include "tilewright/device.h"
#include "tilewright/files.h"
#include "tilewright/operator.h"

// What `OP` and `pipeline` share: options, and words about a call.
namespace tilewright::app {

// Adds the options that limit what a PNG may hold, and returns them.
std::vector<Parameter> add_limits(Command &command, FileLimits &limits);

// One line for each thing that a call is warned of.
void print_warnings(const Operator &op, const Remarks &remarks);

// For --stats, on standard error: what was done between two readings of the counters, and what the operator says of its call.
void print_costs(const Device &device, const Counters &before, const Counters &after, double total_ms);
void print_facts(const Remarks &remarks);

// "3 to the device (12.5 MB)"
std::string copies(uint64_t count, uint64_t size, const char *where);

}  // namespace tilewright::app
