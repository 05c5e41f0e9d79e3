#include "runtime/devices/kernel_text.h"
#include "generators/algorithms/module_text.h"
#include "generators/algorithms/packed_text.h"
#include "generators/algorithms/value_numbers.h"
#include "runtime/process/immortal.h"
#include "tilewright/kernel_texts.h"
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace tilewright {

namespace {

struct KnownTexts {
    std::mutex mutex;
    std::vector<std::span<const KernelText>> tables;

    // The part of a text that begins at `at`; nothing where no table has it.
    const KernelText *find(uint64_t key, size_t at) {
        const std::lock_guard lock(mutex);
        for (const std::span<const KernelText> &table : tables) {
            for (const KernelText &text : table) {
                if (text.key == key && text.at == at) {
                    return &text;
                }
            }
        }
        return nullptr;
    }
};

KnownTexts &known_texts() {
    return immortal([] { return KnownTexts(); });
}

std::string text_of(const KernelText &part) {
    const std::string_view group(reinterpret_cast<const char *>(part.group), part.group_bytes);
    const std::string texts = unpacked(group, part.begin + part.bytes);
    return with_numbers(std::string_view(texts).substr(part.begin), part.text_bytes);
}

}  // namespace

bool embed_kernel_texts(std::span<const KernelText> texts) {
    KnownTexts &all = known_texts();
    const std::lock_guard lock(all.mutex);
    all.tables.push_back(texts);
    return true;
}

namespace driver {

std::string kernel_text(const char *text, bool all_parts) {
    if (std::strncmp(text, elsewhere_mark.data(), elsewhere_mark.size()) != 0) {
        return text;
    }
    TextElsewhere place;
    std::memcpy(&place, text, sizeof place);
    std::string whole;
    while (const KernelText *const part = known_texts().find(place.key, whole.size())) {
        whole += text_of(*part);
        if (!all_parts) {
            break;
        }
    }
    if (whole.empty()) {
        throw std::runtime_error("the text of a library's kernels is in no table: link the library with the "
                                 "table that was made with it");
    }
    return whole;
}

}  // namespace driver

}  // namespace tilewright
