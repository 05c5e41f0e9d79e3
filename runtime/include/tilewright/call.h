#pragma once
#include "tilewright/device.h"
#include "tilewright/statistics.h"
#include "tilewright/variant.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>
#pragma GCC visibility push(default)

namespace tilewright {

// How and where to run. `device` unset: that of the environment's TILEWRIGHT_DEVICE, else the best one that
// has a variant of the schedule; of `tuned`, the one with the least predicted time, copies and the start of
// drivers included (choose_device()). `schedule`: the name of a variant or of a family. "tuned" is the
// variant that serves the data and has the least predicted time, by times that were measured on a device like
// this one; where there are none, the first variant of that family that serves the data.
struct Call {
    std::optional<Device> device = {};
    std::string schedule = "tuned";
    Statistics *statistics = nullptr;  // receives what the call did
    // what to choose from, in this order; unset: all the operator's variants
    const std::vector<Variant> *variants = nullptr;
    bool pinned = false;  // an output that the call makes is in page-locked memory (Array::pinned)

    // How far the call is, and whether it goes on. It is called on the thread of the call with the part of
    // the work that is done, from 0 to 1 and never less than before, and the call goes on where it returns
    // true. Where it returns false, the call ends with an Error of Fault::cancelled; what it throws leaves
    // the call as it is. An empty output stays empty then, and another one has any values.
    //
    // It is asked before each library of the call and at its end; on the CPU also before the tasks of a
    // library's loop, which are strips or tiles of the result: often thousands in a call, so it should be
    // short. Parts need not take the same time. On a GPU the call waits for each library; a kernel that was
    // started runs to its end. Empty: nothing is asked, and nothing waits. To cancel from another thread:
    //
    //     call.progress = [token](double) { return !token.stop_requested(); };  // a std::stop_token
    std::function<bool(double done)> progress = {};

    // Arrays of many images: one letter per axis, those of an image last, "hw", or "hwc" where the operator
    // takes channels: "nhw", "nhwc", or "nchw" for images whose channels are images of their own. The result
    // is that of a call per image, with the same axes in front, and borders are those of each image. One
    // variant runs on all images that it serves. It is chosen for their number, so that it may be another one
    // than of a call on one image. On CUDA each of its kernels is launched once for images that are at equal
    // distances in memory. All inputs have the same numbers of images. Empty: the arrays are one image.
    // Errors: usage, for a letter that is there twice, and where the last ones are neither "hw" nor "hwc";
    // input, for an array of another number of axes, and for different numbers of images.
    //
    //     gaussian_blur(batch, 3, Border::reflect, {.layout = "nchw"})
    std::string layout = {};
};

}  // namespace tilewright
#pragma GCC visibility pop
