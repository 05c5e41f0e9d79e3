#pragma once
// Arrays of many images (Call::layout): which part of them is which image. Not installed.
#include "runtime/arrays/storage.h"
#include "tilewright/array.h"
#include "tilewright/operator.h"
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilewright {

class ManyImages {
public:
    // Errors: usage, for a word that is no layout; input, for arrays of other shapes.
    ManyImages(const Operator &op, std::span<const Array> inputs, const std::string &layout);

    int64_t count() const {
        return count_;
    }
    // Of an array with these axes for each image.
    std::vector<int64_t> shape_of(const std::vector<int64_t> &image) const;

    // Image `i` of each array.
    Array image(const Array &array, int64_t i) const;
    std::vector<Array> images(std::span<const Array> arrays, int64_t i) const;

    // How many images of each of the arrays follow each other, from the first one on, and the bytes from each
    // to the next one. The images behind them are the same again.
    struct Together {
        int64_t count = 1;
        std::vector<int64_t> steps;  // of each array
    };
    Together together(std::span<const Array> arrays) const;

private:
    std::vector<int64_t> counts_;  // along the axes in front
    int64_t count_ = 1;
};

// The images of a call where its device works on them. On CUDA they are parts of the arrays. OpenCL's
// libraries take no part of a buffer: there, and on the CPU, each one is a view of the host's memory, which
// on a device has a buffer of its own. The library does not know such a view for a part of the output, which
// another thread's device may write at the same time. So the CPU holds the output meanwhile. A call on OpenCL
// holds tables that threads share, and must not hold the output before them (Storage::hold): its views are of
// memory that this call alone has, from which finish() copies.
class PlacedImages {
public:
    // `output` is written whole. Errors: device and memory.
    PlacedImages(const ManyImages &images, Device device, std::span<const Array> inputs, Array &output);

    // After an error on CUDA, an output of whole storage has the host's elements of before, as it has after a
    // call on one image.
    ~PlacedImages();
    PlacedImages(const PlacedImages &) = delete;

    std::vector<Array> inputs(int64_t i) const;
    Array output(int64_t i);

    // Once the images were written: brings them to the output.
    void finish();

private:
    const ManyImages &images_;
    const bool are_parts_;
    const std::span<const Array> inputs_;
    Array &output_;
    Array written_;                  // the output, or what stands in for it on OpenCL
    std::vector<Array> results_;     // views that were written
    std::optional<HostWrite> held_;  // the output, where libraries write views of it
    bool keeps_host_ = false;        // whether the host has the output's elements of before
};

}  // namespace tilewright
