#include "runtime/devices/cuda/tensor_maps.h"
#include "runtime/devices/cuda/driver_function.h"
#include "runtime/devices/cuda/graph.h"
#include "runtime/devices/thread_context.h"
#include <HalideRuntime.h>
#include <algorithm>
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace tilewright::driver {

namespace {

constexpr DriverFunction<CUresult(TensorMap *, int, uint32_t, uint64_t, const uint64_t *, const uint64_t *,
    const uint32_t *, const uint32_t *, int, int, int, int)>
    cu_encode{"cuTensorMapEncodeTiled"};

// Boxes of 64 rows of 128 bytes, in units of 16 bits, in the tensor cores' order of lines of 128 bytes.
CUresult encode(TensorMap &map, const halide_buffer_t &matrix) {
    const auto bytes = (uint64_t)matrix.type.bytes();
    const uint64_t row = bytes * (uint64_t)matrix.dim[0].extent, rows = (uint64_t)matrix.dim[1].extent,
                   pitch = rows > 1 ? bytes * (uint64_t)matrix.dim[1].stride : (row + 15) / 16 * 16;
    map.boxes = (uint32_t)((row + 127) / 128);
    constexpr int words_of_16_bits = 1, order_of_128_bytes = 3, reads_256_bytes = 3;
    const uint64_t extents[] = {row / 2, rows};
    const uint32_t box[] = {64, 64}, steps[] = {1, 1};
    return cu_encode(&map, words_of_16_bits, 2, matrix.device, extents, &pitch, box, steps, 0,
        order_of_128_bytes, reads_256_bytes, 0);
}

}  // namespace

MapsOfKernels tensor_maps_of(const std::string &ptx) {
    constexpr std::string_view parameter = ".param .align 64 .b8 ", number = "_map_";
    const std::string_view text(ptx);
    MapsOfKernels all;
    for (size_t at = text.find(parameter); at != text.npos; at = text.find(parameter, at + 1)) {
        const size_t begin = at + parameter.size(), open = text.rfind('(', at);
        const std::string_view name = text.substr(begin, text.find('[', begin) - begin);
        const size_t end = std::min(name.rfind(number), name.size());
        const std::string_view digits = name.substr(std::min(end + number.size(), name.size()));
        size_t matrix = 0;
        const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), matrix);
        const bool is_number = error == std::errc() && last == digits.data() + digits.size();
        TensorMaps &maps = all[std::string(name.substr(0, end))];
        if (maps.parameters == 0 && open != text.npos) {
            maps.parameters = (size_t)std::ranges::count(text.substr(open, at - open), ',');
        }
        if (!is_number || matrix >= maps.parameters) {
            throw std::runtime_error("the kernels' text is not understood: no tensor map is `" +
                                     std::string(name.substr(0, 100)) + "`");
        }
        maps.matrices.push_back(matrix);
    }
    return all;
}

CUresult TensorArguments::add(const TensorMaps &maps, void **arguments) noexcept {
    constexpr CUresult invalid = 1;  // CUDA_ERROR_INVALID_VALUE
    if (maps.parameters + maps.matrices.size() > all_.size() || maps.matrices.size() > maps_.size() ||
        this_thread.arguments == nullptr) {
        return invalid;
    }
    std::copy_n(arguments, maps.parameters, all_.begin());
    for (size_t i = 0; i < maps.matrices.size(); i++) {
        const size_t number = maps.matrices[i];
        const auto &matrix = *static_cast<const halide_buffer_t *>(this_thread.arguments[number]);
        if (memcmp(arguments[number], &matrix.device, sizeof matrix.device) != 0) {
            return invalid;
        }
        if (const CUresult code = encode(maps_[i], matrix)) {
            return code;
        }
        if (this_thread.graph && memcmp(&maps_[i], &matrix.device, sizeof matrix.device) != 0) {
            this_thread.graph->give_up();  // it would not find the address that other arrays change
        }
        all_[maps.parameters + i] = &maps_[i];
    }
    return 0;
}

}  // namespace tilewright::driver
