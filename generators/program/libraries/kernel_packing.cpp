// Packs the text of kernels.
#include "generators/program/libraries/kernel_packing.h"
#include "generators/algorithms/module_text.h"
#include "generators/algorithms/packed_text.h"
#include "generators/algorithms/value_numbers.h"
#include <algorithm>
#include <stdexcept>

namespace tilewright {

void KernelPacking::add(const std::string &text) {
    const size_t end = std::min(text.find(assembly_begin), text.size());
    add_part(languages_[0], key_of_module(text), 0, text.substr(0, end));
    add_part(languages_[1], key_of_module(text), end, text.substr(end));
}

void KernelPacking::add_part(Language &language, uint64_t key, size_t at, const std::string &text) {
    if (text.empty()) {
        return;
    }
    const std::string distances = with_distances(text);
    if (with_numbers(distances, text.size()) != text) {
        throw std::runtime_error(
            "the numbers of values in the text of the kernels cannot be written as distances");
    }
    if (!language.group.empty() && language.group.size() + distances.size() > most_bytes_packed_together) {
        end_group(language);
    }
    language.parts.push_back({key, at, language.group.size(), distances.size(), text.size()});
    language.group += distances;
}

void KernelPacking::end_group(Language &language) {
    if (language.group.empty()) {
        return;
    }
    const std::string group = packed(language.group, TILEWRIGHT_SMALL_TEXTS);
    if (unpacked(group, 0, language.group.size()) != language.group) {
        throw std::runtime_error("the texts of the kernels do not come back as they were packed");
    }
    for (const Part &part : language.parts) {
        entries_ << "    {0x" << std::hex << part.key << std::dec << "u, " << symbol_ << " + "
                 << bytes_.size() << ", " << group.size() << ", " << part.at << ", " << part.begin << ", "
                 << part.bytes << ", " << part.text_bytes << "},\n";
    }
    bytes_ += group;
    language = {};
}

void KernelPacking::end_group() {
    for (Language &language : languages_) {
        end_group(language);
    }
}

}  // namespace tilewright
