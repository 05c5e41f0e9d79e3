// Runs ptxas, and keeps what it makes in memory.
#include "apps/tilewright/built_variants/ptxas.h"
#include "apps/tilewright/built_variants/generator_programs.h"
#include "apps/tilewright/foreign/foreign_generator.h"
#include "apps/tilewright/processes/subprocess.h"
#include "apps/tilewright/processes/temporary_folder.h"
#include "apps/tilewright/terminal/printing.h"
#include "generators/algorithms/module_text.h"
#include "generators/algorithms/tensor_text.h"
#include "runtime/devices/cuda/embedded_cubins.h"
#include "tilewright/cubins.h"
#include "tilewright/error.h"
#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <set>
#include <unistd.h>

namespace tilewright::app {

namespace {

const std::array<Variant::Tunable, 2> ptxas_options = {
    {{driver::ptxas_options_begin + std::string("level"), 3, 0, 3},
        {driver::ptxas_options_begin + std::string("registers"), 5, 0, 10}}};

// The compute capabilities of this machine's devices that run the variant: 90 for 9.0.
std::set<int> capabilities_for(const Variant &variant) {
    std::set<int> all;
    for (const DeviceInfo &info : devices(Backend::cuda)) {
        if (info.usable && why_not_on(variant, info).empty()) {
            all.insert(driver::number_of_capability(info.capability));
        }
    }
    if (all.empty()) {
        throw Error(Fault::failed, "ptxas makes machine code for one kind of device, and none here runs it",
            {.operation = variant.name()});
    }
    return all;
}

}  // namespace

std::span<const Variant::Tunable> ptxas_tunables(const Variant &variant) {
    const bool has_ptx = variant.backend == Backend::cuda && !foreign_generator(variant.op);
    return has_ptx ? std::span<const Variant::Tunable>(ptxas_options) : std::span<const Variant::Tunable>();
}

bool is_of_ptxas(const std::string &tunable) {
    return tunable.starts_with(driver::ptxas_options_begin);
}

bool has_ptxas_options(const Variant &variant) {
    return std::ranges::any_of(variant.tunables, is_of_ptxas, &Variant::Tunable::name);
}

std::string find_ptxas() {
    const char *named = std::getenv("TILEWRIGHT_PTXAS");
    const std::string name = named && *named ? named : "ptxas";
    const bool is_path = name.find('/') != std::string::npos;
    const std::string program = is_path ? name : program_in_path(name, "/usr/local/cuda/bin");
    if (access(program.c_str(), X_OK) != 0) {
        throw MissingTool(Fault::failed,
            fmt::format(
                "{} is no program here: install the CUDA toolkit, name its ptxas in TILEWRIGHT_PTXAS, "
                "or leave the options of ptxas out",
                is_path ? name : name + " in PATH or /usr/local/cuda/bin"));
    }
    return program;
}

void embed_machine_code(const Variant &variant, const std::string &ptx) {
    const std::string text = driver::module_text(with_tensor_products(text_of_file(ptx)), variant);
    const TemporaryFolder folder;
    const std::string made = folder.file("cubin");
    for (const int capability : capabilities_for(variant)) {
        const std::string arch = fmt::format("sm_{}{}", capability, has_tensor_products(text) ? "a" : "");
        const Finished ran = run_program(find_ptxas(),
            {"-arch=" + arch,
                fmt::format("-O{}", variant.tunable(ptxas_options[0].name, ptxas_options[0].value)),
                fmt::format("--register-usage-level={}",
                    variant.tunable(ptxas_options[1].name, ptxas_options[1].value)),
                "-o", made, "/dev/stdin"},
            text);
        if (ran.code != 0) {
            throw Error(Fault::failed, fmt::format("ptxas refuses it for {}: {}", arch, one_line(ran.err)),
                {.operation = variant.name()});
        }
        // Never destroyed: the runtime keeps the addresses.
        const std::string &code = *new std::string(text_of_file(made));
        const auto *const begin = reinterpret_cast<const unsigned char *>(code.data());
        const EmbeddedCubin cubin = {key_of_module(text), capability, begin, begin + code.size()};
        embed_cubins({&cubin, 1});
    }
}

}  // namespace tilewright::app
