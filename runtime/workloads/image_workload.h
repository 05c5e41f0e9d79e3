#pragma once
// A workload for operators from one image to another. Not installed.
#include "tilewright/workload.h"
#include <string>

namespace tilewright {

// Random images of the table's types; the output has to have the same bytes as the expected one. What differs
// is overridden.
class ImageWorkload : public Workload {
public:
    using Workload::Workload;

    // One pixel, odd, thin, around 16, 64, 128 and 256, prime, without padding, and a crop of a larger one;
    // and, of an operator that takes colour, one with three channels.
    std::vector<Sample> samples(const std::string &type) const override;
    Sample benchmark_sample(const std::string &type, DataSize size, const Settings &settings) const override;
    bool takes_channels(const std::string &type) const override;

protected:
    // The element type and channel count (1: no axis for channels) of the images that a type of the table
    // means.
    struct Pixel {
        Type type;
        int64_t channels;
    };
    virtual Pixel pixel_of(const std::string &type) const;
};

}  // namespace tilewright
