// The files of the kernels' text.
#include "generators/program/libraries/kernel_texts.h"
#include "generators/algorithms/module_text.h"
#include "generators/program/cpp_output.h"
#include "generators/program/libraries/kernel_packing.h"
#include <filesystem>
#include <sstream>

namespace tilewright {

namespace {

namespace fs = std::filesystem;

fs::path text_file(const std::string &library, const fs::path &folder) {
    return folder / (library + ".text");
}

}  // namespace

std::string put_text_elsewhere(
    const std::string &library, const std::string &folder, const std::string &text) {
    if (!write_text(text_file(library, folder).string(), text)) {
        fail("the text of the kernels of " + library + " cannot be written in " + folder);
    }
    TextElsewhere place = {{}, key_of_module(text)};
    elsewhere_mark.copy(place.mark, sizeof place.mark);
    return {reinterpret_cast<const char *>(&place), sizeof place};
}

bool write_kernel_texts(const Selection &selection, const std::string &backend,
    const std::vector<Library> &libraries, const std::string &folder) {
    const std::string name = selection.name + "_" + backend, symbol = name + "_texts";
    KernelPacking packing(symbol);
    bool any = false;
    for (const Library &library : libraries) {
        if (library.is_own && is_gpu(backend)) {
            packing.add(text_of(text_file(library.name, folder).string()));
            any = true;
        }
    }
    const std::string header = (fs::path(folder) / (symbol + ".h")).string();
    if (!any) {
        return !is_gpu(backend) || write_text(header, "#pragma once\n");
    }
    packing.end_group();
    const fs::path bytes = fs::absolute(fs::path(folder) / (name + ".texts"));
    std::ostringstream text;
    text << "// Made by " << only_table().op << "'s generator: the text of its kernels.\n#pragma once\n"
         << "#include \"tilewright/kernel_texts.h\"\n\nasm(\".pushsection .rodata,\\\"a\\\"\\n.hidden "
         << symbol << "\\n.globl " << symbol << "\\n"
         << symbol << ":\\n.incbin \\\"" << bytes.string()
         << "\\\"\\n.popsection\\n\");\n\nextern \"C\" const unsigned char " << symbol << "["
         << packing.bytes().size() << "];\n\nnamespace tilewright {\n\nconstexpr KernelText " << name
         << "_kernel_texts[] = {\n"
         << packing.entries() << "};\n[[maybe_unused]] static const bool " << name
         << "_has_texts = embed_kernel_texts(" << name << "_kernel_texts);\n\n}  // namespace tilewright\n";
    return write_text(bytes.string(), packing.bytes()) && write_text(header, text.str());
}

}  // namespace tilewright
