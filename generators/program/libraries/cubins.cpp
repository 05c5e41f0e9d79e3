// Machine code of CUDA libraries, by ptxas.
#include "generators/program/libraries/cubins.h"
#include "generators/algorithms/early_starts.h"
#include "generators/algorithms/module_text.h"
#include "generators/algorithms/next_block.h"
#include "generators/program/cpp_output.h"
#include "generators/program/libraries/child_process.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace tilewright {

namespace {

namespace fs = std::filesystem;

// The PTX as the runtime gives it to the driver of a device whose machine code is in `file`.
std::string final_ptx(const Library &library, const fs::path &folder, const std::string &file) {
    return with_early_starts(with_register_caps(with_instructions(text_of(folder / (library.name + ".ptx"))),
                                 library.variant->register_caps),
        number_behind(file, "sm_"));
}

int run_ptxas(const std::string &arch, const std::string &from, const std::string &to) {
    const char *named = std::getenv("TILEWRIGHT_PTXAS");
    const char *program = named && *named ? named : "ptxas";
    execlp(program, program, ("-arch=" + arch).c_str(), from.c_str(), "-o", to.c_str(), (char *)nullptr);
    std::perror(program);
    return 127;
}

}  // namespace

bool runs_on(const Library &library, const std::string &folder, const std::string &file) {
    const std::string text = text_of(fs::path(folder) / (library.name + ".ptx"));
    const int capability = number_behind(file, "sm_");
    return has_tensor_products(text) ? capability == TensorProduct::capability :
                                       capability >= number_behind(text, before_capability);
}

std::string cubin_name(const Library &library, const std::string &folder, const std::string &file) {
    std::ostringstream name;
    name << library.name << "." << file << "." << std::hex << key_of_module(final_ptx(library, folder, file))
         << ".cubin";
    return name.str();
}

bool is_cubin(const std::string &file) {
    return file.starts_with("sm_") && file.size() > 3 &&
           file.find_first_not_of("0123456789", 3) == std::string::npos;
}

void make_cubin(const Library &library, const std::string &folder, const std::string &file) {
    const fs::path in = folder, made = in / cubin_name(library, folder, file),
                   unfinished = in / (library.name + ".unfinished"), ptx = in / (library.name + ".capped"),
                   said = in / (library.name + ".ptxas");
    fs::remove_all(unfinished);
    const std::string text = final_ptx(library, in, file);
    std::ofstream(ptx) << text;
    const std::string arch = file + (has_tensor_products(text) ? "a" : "");
    const Ended ended = wait_for_child(
        start_child(said.string(), [&] { return run_ptxas(arch, ptx.string(), unfinished.string()); }));
    const std::string words = text_of(said);
    fs::remove(ptx);
    fs::remove(said);
    if (!ended.well || !fs::exists(unfinished)) {
        fs::remove(unfinished);
        fail("ptxas made no machine code of " + library.name + " for " + file + " (" + words +
             "); name ptxas of a newer CUDA toolkit in TILEWRIGHT_PTXAS, or leave " + file +
             " out of TILEWRIGHT_CUBINS");
    }
    fs::rename(unfinished, made);
}

bool write_cubins_header(const Selection &selection, const std::string &target,
    const std::vector<Library> &libraries, const std::string &folder) {
    if (target != "cuda") {
        return true;
    }
    std::ostringstream code, declarations, entries;
    int count = 0;
    for (const Library &library : libraries) {
        for (const fs::directory_entry &entry : fs::directory_iterator(folder)) {
            const std::string file = entry.path().filename().string(), begin = library.name + ".";
            const size_t end = file.find('.', begin.size());
            const std::string word = file.starts_with(begin) && end != std::string::npos ?
                                         file.substr(begin.size(), end - begin.size()) :
                                         "";
            if (!is_cubin(word) || file != cubin_name(library, folder, word)) {
                continue;  // another file, or machine code of other PTX
            }
            const std::string symbol = selection.name + "_cubin_" + std::to_string(count++);
            code << "    \".hidden " << symbol << "\\n.globl " << symbol << "\\n.balign 16\\n"
                 << symbol << ":\\n.incbin \\\"" << fs::absolute(entry.path()).string() << "\\\"\\n.hidden "
                 << symbol << "_end\\n.globl " << symbol << "_end\\n"
                 << symbol << "_end:\\n.byte 0\\n\"\n";
            declarations << "extern const unsigned char " << symbol << "[], " << symbol << "_end[];\n";
            entries << "    {0x" << std::hex << key_of_module(final_ptx(library, folder, word)) << std::dec
                    << "u, " << word.substr(3) << ", " << symbol << ", " << symbol << "_end},\n";
        }
    }
    std::ostringstream text;
    text << "// Made by " << only_table().op << "'s generator: the machine code of its CUDA libraries.\n"
         << "#pragma once\n";
    if (count > 0) {
        text << "#include \"tilewright/cubins.h\"\n\nasm(\".pushsection .rodata,\\\"a\\\"\\n\"\n"
             << code.str() << "    \".popsection\\n\");\n\nextern \"C\" {\n"
             << declarations.str() << "}\n\nnamespace tilewright {\n\n"
             << "constexpr EmbeddedCubin " << selection.name << "_cubins[] = {\n"
             << entries.str() << "};\n[[maybe_unused]] static const bool " << selection.name
             << "_has_cubins = embed_cubins(" << selection.name
             << "_cubins);\n\n}  // namespace tilewright\n";
    }
    return write_text((fs::path(folder) / (selection.name + "_cuda_cubins.h")).string(), text.str());
}

}  // namespace tilewright
