#include "runtime/devices/opencl/ptx_arguments.h"
#include "generators/algorithms/integers.h"
#include <algorithm>
#include <charconv>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace tilewright::driver {

namespace {

// The parameters of a kernel as its text has them, and the places of the numbers by their names.
struct Parameters {
    PtxArguments arguments;
    std::vector<std::string> addresses;
    std::string local;
    std::map<std::string, size_t, std::less<>> places;

    // A line such as `.param .u64 .ptr .global .align 1 name` or `.param .f32 name`.
    void add(const std::string &line) {
        std::istringstream words(line);
        std::string param, type, name;
        words >> param >> type;
        while (words >> name) {
        }
        if (line.find(" .ptr .global ") != std::string::npos) {
            if (!places.empty()) {  // the driver would take the buffer's handle for a number
                throw std::runtime_error("an address of PTX is behind a number");
            }
            addresses.push_back(line);
            arguments.addresses++;
        } else if (line.find(" .ptr .shared ") != std::string::npos) {
            local = line;
            arguments.has_local = true;
        } else {
            size_t bits = 0;  // of `.f32`
            std::from_chars(type.data() + std::min<size_t>(2, type.size()), type.data() + type.size(), bits);
            if (bits < 8 || bits > 64) {
                throw std::runtime_error("a parameter of PTX is not known");
            }
            const size_t bytes = bits / 8, at = round_up(arguments.bytes, bytes);
            arguments.numbers.push_back({at, bytes});
            arguments.bytes = at + bytes;
            if (arguments.bytes > PtxArguments::most_bytes) {
                throw std::runtime_error("a kernel has too many numbers");
            }
            places[name] = at;
        }
    }

    std::string text(const std::string &numbers) const {
        std::vector<std::string> all = addresses;
        if (!places.empty()) {
            all.push_back("\n\t.param .align 8 .b8 " + numbers + "[" + std::to_string(arguments.bytes) + "]");
        }
        if (arguments.has_local) {
            all.push_back(local);
        }
        std::string joined;
        for (const std::string &one : all) {
            joined += (joined.empty() ? "" : ",") + one;
        }
        return joined + "\n";
    }
};

// The body of a kernel, which loads numbers by their names.
std::string with_places(
    std::string_view body, const std::string &kernel, const std::string &numbers, const Parameters &all) {
    const std::string begin = "[" + kernel + "_param_";
    std::string out;
    size_t done = 0;
    for (size_t at = body.find(begin); at != std::string_view::npos; at = body.find(begin, at + 1)) {
        const size_t end = body.find(']', at);
        const auto known = all.places.find(body.substr(at + 1, end - at - 1));
        if (known != all.places.end()) {
            out += body.substr(done, at + 1 - done);
            out += numbers + "+" + std::to_string(known->second);
            done = end;
        }
    }
    return out += body.substr(done);
}

}  // namespace

ArgumentsOfKernels gather_numbers(std::string &ptx) {
    const std::string entry = ".entry ";
    ArgumentsOfKernels kernels;
    std::string out;
    size_t done = 0;
    for (size_t at = ptx.find(entry); at != std::string::npos;) {
        const size_t next = ptx.find(entry, at + 1), open = ptx.find('(', at), close = ptx.find(')', open);
        const std::string kernel = ptx.substr(at + entry.size(), open - at - entry.size()),
                          numbers = kernel + "_numbers";
        Parameters parameters;
        std::istringstream lines(ptx.substr(open + 1, close - open - 1));
        for (std::string line; std::getline(lines, line, ',');) {
            line.erase(line.find_last_not_of('\n') + 1);
            if (!line.empty()) {
                parameters.add(line);
            }
        }
        out += ptx.substr(done, open + 1 - done) + parameters.text(numbers);
        const std::string_view rest = std::string_view(ptx).substr(close, next - close);
        out += with_places(rest, kernel, numbers, parameters);
        kernels[kernel] = std::move(parameters.arguments);
        done = next == std::string::npos ? ptx.size() : next;
        at = next;
    }
    ptx = out + ptx.substr(done);
    return kernels;
}

}  // namespace tilewright::driver
