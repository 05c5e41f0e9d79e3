#pragma once
// Measures the variants among which `tuned` chooses, for `calibrate`.
#include "apps/tilewright/calibration/times_file.h"
#include "tilewright/operator.h"
#include "tilewright/workload.h"
#include <string>
#include <vector>

namespace tilewright::app {

// Data on which variants are timed.
struct MeasuredCall {
    const Operator *op;
    std::string type;
    DataSize size;
    Settings settings;
};

// The calls that a calibration of the device measures, as far as there is time: the first size of all
// operators, then the second one of all. Of a size the first call of all operators, then the second one of
// all: so a short calibration has times of every operator too.
std::vector<MeasuredCall> calls_to_measure(const std::vector<const Operator *> &chosen, Device device);

// How much of the list was measured.
struct Calibrated {
    size_t calls = 0, of = 0;
};

// Times the variants of the operators on the device at calls_to_measure(), for about so many seconds; each
// call gets an equal part of the time that is left, and one that would take longer is left out. Variants take
// turns, so that all of them see the same clocks and neighbours. What counts is the least of a variant's
// times: other work of the machine only makes calls longer. Errors: device; what variants throw is passed
// over, and their time is missing.
Calibrated calibrate(
    MeasuredFile &file, const std::vector<const Operator *> &chosen, Device device, double seconds);

// Makes one file of several that `calibrate` wrote on the device of the first; `others` receives the devices
// of those that are left out. A device is known by its backend, vendor and name, because "cuda:0" is another
// one on another machine. Of several times of a variant for the same call the least counts, as within one
// calibration. `origin` is that of the last file. Errors: input, for a file of another kind.
MeasuredFile joined_calibrations(
    const std::vector<std::string> &files, Json &origin, std::vector<std::string> &others);

}  // namespace tilewright::app
