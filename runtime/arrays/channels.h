#pragma once
// The channels of an image (h, w, c) as images (h, w), and back. Not installed.
#include "tilewright/array.h"
#include <vector>

namespace tilewright {

// One image per channel, without values.
std::vector<Array> empty_channels_of(const Array &image);

// On the host: the elements of `image` into those images, and theirs into `image`.
void split_channels(const Array &image, std::vector<Array> &channels);
void join_channels(const std::vector<Array> &channels, Array &image);

}  // namespace tilewright
