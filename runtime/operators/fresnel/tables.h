#pragma once
// What the passes of a propagation multiply fields and spectra by. The tables of the last propagations are
// kept, so that what a device has of them need not be made and sent again. Not installed.
#include "runtime/operators/fft_passes.h"
#include "runtime/operators/fresnel/optics.h"

namespace tilewright {

// Factors along a line of a field or of its spectrum.
enum class LineFactor { ones, before, after, transfer };

Array line_factors(const Propagation &propagation, LineFactor factor);

// The transfer function of `convolution`, for a pass over lines that have `parts` parts.
FftTable transfer_response(const Propagation &propagation, const FftPassLibrary &pass, int64_t parts);

// The transfer function of `angular_spectrum` for a pass over columns that have `parts` parts, other numbers
// for each column. `variant`: whose library computes it, which is added to the plan where the last
// propagation had another one.
FftTable spectrum_response(Plan &plan, Device device, const Propagation &propagation,
    const FftPassLibrary &pass, int64_t parts, const Variant &variant);

}  // namespace tilewright
