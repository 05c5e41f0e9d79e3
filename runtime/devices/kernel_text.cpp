#include "runtime/devices/kernel_text.h"
#include "generators/algorithms/far_copies.h"
#include "generators/algorithms/module_text.h"
#include "generators/algorithms/value_numbers.h"
#include "runtime/process/immortal.h"
#include "tilewright/kernel_texts.h"
#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>
#include <vector>
#include <zlib.h>

namespace tilewright {

namespace {

struct Known {
    std::mutex mutex;
    std::vector<std::span<const KernelText>> tables;

    // Nothing where no table has it.
    const KernelText *find(uint64_t key) {
        const std::lock_guard lock(mutex);
        for (const std::span<const KernelText> &table : tables) {
            for (const KernelText &text : table) {
                if (text.key == key) {
                    return &text;
                }
            }
        }
        return nullptr;
    }
};

Known &known() {
    return immortal([] { return Known(); });
}

// The bytes of a group up to the end of a text in it. A group of this program is whole, so only missing
// memory can make zlib fail.
std::string unpacked(const KernelText &text) {
    KernelTextGroup group;
    std::memcpy(&group, text.group, sizeof group);
    std::string inflated(text.inflated, '\0');
    uLongf bytes = inflated.size();
    const int code = uncompress(
        reinterpret_cast<Bytef *>(inflated.data()), &bytes, text.group + sizeof group, group.stream_bytes);
    // Z_BUF_ERROR: there is more, which only the texts behind this one need.
    if ((code != Z_OK && code != Z_BUF_ERROR) || bytes != inflated.size()) {
        throw std::bad_alloc();
    }
    const std::string_view all = inflated;
    return without_far_copies(
        all.substr(0, group.steps_bytes), all.substr(group.steps_bytes), text.begin + text.bytes);
}

}  // namespace

bool embed_kernel_texts(std::span<const KernelText> texts) {
    Known &all = known();
    const std::lock_guard lock(all.mutex);
    all.tables.push_back(texts);
    return true;
}

namespace driver {

std::string kernel_text(const char *text) {
    if (std::strncmp(text, elsewhere_mark.data(), elsewhere_mark.size()) != 0) {
        return text;
    }
    TextElsewhere place;
    std::memcpy(&place, text, sizeof place);
    const KernelText *const packed = known().find(place.key);
    if (packed == nullptr) {
        throw std::runtime_error("the text of a library's kernels is in no table: link the library with the "
                                 "table that was made with it");
    }
    return with_numbers(std::string_view(unpacked(*packed)).substr(packed->begin), packed->text_bytes);
}

}  // namespace driver

}  // namespace tilewright
