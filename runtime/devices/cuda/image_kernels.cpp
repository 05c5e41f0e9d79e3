#include "runtime/devices/cuda/image_kernels.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <string_view>
#include <utility>

namespace tilewright::driver {

namespace {

constexpr std::string_view entry = ".entry ", third_axis = "%ctaid.z";

// Reads a text line by line, and writes another one.
class Rewriting {
public:
    explicit Rewriting(const std::string &ptx) : rest_(ptx) {}

    std::optional<ImageKernels> result() {
        while (!rest_.empty()) {
            const std::string_view line = next();
            if (const size_t at = line.find(entry); at != line.npos) {
                name_ = line.substr(at + entry.size(), line.find('(') - at - entry.size());
                if (line.back() != '(' || !parameters() || !body()) {
                    return {};
                }
            }
        }
        return std::move(made_);
    }

private:
    std::string_view rest_;
    ImageKernels made_;
    std::string name_;  // of the kernel

    // Takes the next line, and copies it to the text that is made.
    std::string_view next() {
        const size_t end = std::min(rest_.find('\n'), rest_.size() - 1) + 1;
        const std::string_view line = rest_.substr(0, end);
        rest_.remove_prefix(end);
        made_.text += line;
        return line.substr(0, line.find_last_not_of('\n') + 1);
    }

    // The number of the kernel's parameter that a line names.
    std::optional<size_t> parameter_in(std::string_view line) const {
        const std::string begin = name_ + "_param_";
        const size_t at = line.find(begin);
        return at == line.npos ?
                   std::nullopt :
                   std::optional((size_t)std::stoul(std::string(line.substr(at + begin.size()))));
    }

    bool parameters() {
        std::vector<bool> &addresses = made_.addresses[name_];
        std::string_view line = next();
        for (; !line.starts_with(")"); line = next()) {
            if (rest_.empty() || parameter_in(line) != addresses.size()) {
                return false;
            }
            addresses.push_back(line.find(".u64 .ptr ") != line.npos);
        }
        made_.text.resize(made_.text.rfind("\n)"));
        for (size_t i = 0; i < addresses.size(); i++) {
            if (addresses[i]) {
                made_.text += fmt::format(",\n\t.param .u64 {}_step_{}", name_, i);
            }
        }
        made_.text += fmt::format(",\n\t.param .u32 {}_depth\n)\n", name_);
        return !addresses.empty();
    }

    // %twz0: the block's place along the third axis in its image; %twi0: the image.
    bool body() {
        while (next() != "{") {
            if (rest_.empty()) {
                return false;
            }
        }
        const bool has_depth = rest_.substr(0, rest_.find("\n}")).find(third_axis) != rest_.npos;
        made_.text +=
            fmt::format("\t.reg .b32 %twz<3>;\n\t.reg .b64 %twi<2>;\n\tmov.u32 %twz2, {};\n", third_axis);
        if (has_depth) {
            made_.text += fmt::format("\tld.param.u32 %twz1, [{}_depth];\n\trem.u32 %twz0, %twz2, %twz1;\n"
                                      "\tdiv.u32 %twz2, %twz2, %twz1;\n",
                name_);
        }
        made_.text += "\tcvt.u64.u32 %twi0, %twz2;\n";
        const std::vector<bool> &addresses = made_.addresses[name_];
        for (size_t begin = made_.text.size(); !rest_.starts_with("}"); begin = made_.text.size()) {
            if (rest_.empty()) {
                return false;
            }
            const std::string_view line = next();
            if (const size_t at = line.find(third_axis); at != line.npos) {
                made_.text.replace(begin + at, third_axis.size(), "%twz0");
            }
            const std::optional<size_t> number = parameter_in(line);
            if (number && *number < addresses.size() && addresses[*number] && !step(line, *number)) {
                return false;
            }
        }
        return true;
    }

    // Behind "\tld.param.b64 \t%rd1, [name_param_0];".
    bool step(std::string_view line, size_t number) {
        constexpr std::string_view load = "\tld.param.b64 \t";
        const size_t comma = line.find(',');
        if (!line.starts_with(load) || line.substr(comma) != fmt::format(", [{}_param_{}];", name_, number)) {
            return false;
        }
        const std::string_view address = line.substr(load.size(), comma - load.size());
        made_.text += fmt::format("\tld.param.u64 %twi1, [{}_step_{}];\n\tmad.lo.u64 {}, %twi0, %twi1, {};\n",
            name_, number, address, address);
        return true;
    }
};

}  // namespace

std::optional<ImageKernels> kernels_of_images(const std::string &ptx) {
    return Rewriting(ptx).result();
}

void ImageLaunches::add_memory(uint64_t begin, uint64_t bytes, int64_t step) noexcept try {
    memory_.push_back({begin, bytes, step});
} catch (const std::bad_alloc &) {
    fail();
}

void ImageLaunches::remove_memory(uint64_t begin) noexcept {
    std::erase_if(memory_, [&](const Memory &memory) { return memory.begin == begin; });
}

void **ImageLaunches::arguments(void **of_one, unsigned &blocks) noexcept try {
    constexpr int64_t most_blocks = 65535;  // along the third axis of a grid
    if (failed_ || !addresses_ || blocks * count_ > most_blocks) {
        fail();
        return nullptr;
    }
    const std::vector<bool> &addresses = *addresses_;
    steps_.clear();
    for (size_t i = 0; i < addresses.size(); i++) {
        if (addresses[i]) {
            uint64_t address = 0;
            std::memcpy(&address, of_one[i], sizeof address);
            const Memory *known = nullptr;
            for (const Memory &memory : memory_) {
                if (address - memory.begin < memory.bytes) {
                    if (known != nullptr && known->step != memory.step) {  // two arrays in the same memory
                        fail();
                        return nullptr;
                    }
                    known = &memory;
                }
            }
            steps_.push_back(known != nullptr ? known->step : 0);
        }
    }
    depth_ = blocks;
    blocks *= (unsigned)count_;
    arguments_.assign(of_one, of_one + addresses.size());
    for (int64_t &step : steps_) {
        arguments_.push_back(&step);
    }
    arguments_.push_back(&depth_);
    return arguments_.data();
} catch (const std::bad_alloc &) {
    fail();
    return nullptr;
}

}  // namespace tilewright::driver
