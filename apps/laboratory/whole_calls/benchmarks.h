#pragma once
// The benchmarks of whole calls, which Google Benchmark times: what a user's clock shows. A name is
// WHAT/OPERATOR/DATA/WHO. Data is made where a benchmark begins, so that a filter saves its memory too.
#include "tilewright/device.h"
#include <benchmark/benchmark.h>
#include <functional>
#include <string>

namespace tilewright::benchmarks {

// host_calls: one call from and to host memory, pageable and page-locked, beside the driver's own copies of
// as many bytes and the kernels alone.
void add_host_calls(Device device);

// many_images: 16 images through a Stream, beside their copies alone and their kernels alone.
void add_many_images(Device device);

// Adds one by its name and its function. An exception ends it, with its text in place of a time.
benchmark::internal::Benchmark *add(
    const std::string &name, const std::function<void(benchmark::State &)> &run);

// Times what `iteration` returns: the milliseconds of one iteration.
void time_by_hand(benchmark::State &state, const std::function<double()> &iteration);

}  // namespace tilewright::benchmarks
