#pragma once
// The forms of gaussian_blur: which blurs their variants serve, and the arguments of their libraries. One
// file per idea: taps.cpp, near.cpp, dots.cpp, window.cpp, products.cpp, realigned.cpp and planes.cpp. Not
// installed.
#include "runtime/operators/gaussian_blur/request.h"
#include <vector>

namespace tilewright {

std::vector<const Form *> forms_by_taps();
std::vector<const Form *> forms_of_near_blurs();
std::vector<const Form *> forms_by_dots();
std::vector<const Form *> forms_with_windows();
std::vector<const Form *> forms_by_products();
std::vector<const Form *> forms_by_copies();
std::vector<const Form *> forms_by_planes();

// A form whose libraries read the weights of all taps from an array, and count the elements of the image
// between the passes in 31 bits.
void bind_taps(Launch &launch, const Variant &, const GaussianBlurRequest &request, Array &output);
struct GaussianBlurTaps final : BlurForm<GaussianBlurRequest> {
    explicit constexpr GaussianBlurTaps(std::string_view name, Serves serves = nullptr,
        const BlurTraits &traits = {.two_sigmas = true}, Bind bind = bind_taps)
        : BlurForm(name, bind, serves, traits) {}

    bool serves(
        const Variant &variant, const GaussianBlurRequest &request, const Array &output) const override;
};

// Binds the rows of image and output, and the border.
void bind_image(Launch &launch, const GaussianBlurRequest &request, Array &output);

// Whether the rows of an array begin at multiples of so many bytes, and a library on the backend can take
// them in words of 32 bits.
bool in_words(const Array &array, Backend backend, int bytes);

// The rows of an image as they are, or of bytes as words; a word may end after the last byte of its row.
View window_view(const Array &array);

// Binds how coordinates outside the image are brought inside: the numbers of BorderMap
// (generators/algorithms/gaussian_blur/window.h). `with_zero`: the library serves the border `zero` too.
void bind_border(Launch &launch, const GaussianBlurRequest &request, bool with_zero = true);

}  // namespace tilewright
