// The tables of packed texts of kernels. A program has this file only where it has a table.
#include "generators/algorithms/packed_text.h"
#include "generators/algorithms/value_numbers.h"
#include "runtime/devices/kernel_text.h"
#include "runtime/process/immortal.h"
#include "tilewright/kernel_texts.h"
#include <mutex>
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
    return with_numbers(unpacked(group, part.begin, part.bytes), part.text_bytes);
}

std::string text_in_tables(uint64_t key, bool all_parts) {
    std::string whole;
    while (const KernelText *const part = known_texts().find(key, whole.size())) {
        whole += text_of(*part);
        if (!all_parts) {
            break;
        }
    }
    return whole;
}

}  // namespace

bool embed_kernel_texts(std::span<const KernelText> texts) {
    KnownTexts &all = known_texts();
    const std::lock_guard lock(all.mutex);
    all.tables.push_back(texts);
    driver::find_texts_by(text_in_tables);
    return true;
}

}  // namespace tilewright
