#pragma once
// How process() divides a pipeline: into passes over the image, and each pass into bands of rows. Not
// installed.
#include "tilewright/bands.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

// Stages that run on a band with one halo for all of them, and behind them what does more with it than rows.
struct BandSegment {
    Pipeline local = {}, last = {};  // either may have no stages
    Bands bands = Bands::halo;
    int64_t halo = 0;
    bool has_alpha = false;
    Type type = Type::u8, result_type = Type::u8;
    std::vector<int64_t> shape, result_shape;
};

struct BandSegments {
    std::vector<BandSegment> all;
    std::string why_not;
    double bytes = 0;  // of the arrays of the whole pipeline
};

// How many bands there are at a time.
struct BandsAtATime {
    int read = 3;            // that are read, wait, and are computed
    int computed = 1;        // that are computed
    double worth = 4 << 20;  // bytes of a band, above which neither caches nor overlap gain
};

// On a GPU the copies to it, its kernels and the copies back are of three bands.
constexpr BandsAtATime bands_of_cpu = {}, bands_of_gpu = {.read = 5, .computed = 3, .worth = 8 << 20};

// Errors: those of the pipeline's operators for the whole image.
BandSegments segments_of(
    Type type, const std::vector<int64_t> &shape, const Pipeline &pipeline, bool has_alpha);

// The bytes of the smallest bands.
double least_memory(const BandSegment &segment, const BandsAtATime &at_a_time = bands_of_cpu);
double least_memory(const BandSegments &segments);

// As many rows as the memory has room for, but no more than are worth it.
int64_t rows_of_band(const BandSegment &segment, double memory, const BandsAtATime &at_a_time);

// An image of the segment's type with that many rows, whose elements are never looked at.
Array band_without_elements(const BandSegment &segment, int64_t rows);

}  // namespace tilewright
