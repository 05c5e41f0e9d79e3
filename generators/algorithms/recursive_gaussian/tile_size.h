#pragma once
// The sizes that the tiled forms of recursive_gaussian and their host code share. Plain C++ without Halide.h.

namespace tilewright {

constexpr int recursive_tile = 64;         // samples of a tile, along x and along y
constexpr int recursive_tile_of_f64 = 32;  // the same, whose samples take twice the memory and registers
constexpr int recursive_band = 48;         // rows of a band, on CPUs
constexpr int recursive_carry_rows = 1;    // carry rows of a group
constexpr int recursive_run = 16;          // samples of a tile that are summed before its runs are
constexpr int recursive_weight_pitch = 8;  // distance of the rows in the table of weights, in floats

// The largest sigma with which samples behind the neighbour of a tile add nothing: at most 3.1e-7 of the
// largest magnitude, by RecursiveCoefficients::halo().
constexpr double recursive_near_sigma = 5;

// The rows of the table of weights of a tile: one for each sample, three for each run, and one for each
// sample of half of a run.
constexpr int recursive_weight_rows(int tile) {
    return tile + 3 * (tile / recursive_run) + recursive_run / 2;
}

}  // namespace tilewright
