#pragma once
// OpenCV's functions that compute what an operator does.
#include "tilewright/operator.h"
#include <functional>
#include <span>
#include <string>

// A call of OpenCV's function with these inputs, into memory that is there after its first call; empty where
// OpenCV has none for them, or this program was built without OpenCV. The inputs must outlive it.
#ifdef TILEWRIGHT_OPENCV
std::function<void()> opencv_peer(
    const std::string &op, std::span<const tilewright::Array> inputs, const tilewright::Settings &settings);
#else
inline std::function<void()> opencv_peer(
    const std::string &, std::span<const tilewright::Array>, const tilewright::Settings &) {
    return {};
}
#endif
