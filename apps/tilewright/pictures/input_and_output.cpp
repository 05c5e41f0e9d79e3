#include "apps/tilewright/pictures/input_and_output.h"
#include "tilewright/error.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewright::app {

namespace {

bool is_standard_input(const std::string &word) {
    return path_of_input(word) == "/dev/stdin";
}

// Whether a name need not say the kind of a file: that of a device or a pipe, which is written directly, or
// of a folder, which is refused as such.
bool is_no_regular_file(const std::string &path) {
    struct stat about = {};
    return path.ends_with('/') || (stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode));
}

// Whether a file that is written under the first name is, or will be, the one of the second name.
bool will_be_same_file(const std::string &written, const std::string &other) {
    const auto place = [](const std::string &path) {
        std::error_code unknown;
        return std::filesystem::weakly_canonical(std::filesystem::absolute(path, unknown), unknown);
    };
    return same_file(written, other) || (!place(written).empty() && place(written) == place(other));
}

}  // namespace

std::string path_of_input(const std::string &word) {
    return word == "-" ? "/dev/stdin" : word;
}

std::optional<FileKind> format_of(const std::string &word) {
    if (word.empty()) {
        return std::nullopt;
    }
    if (word.find_first_of("./") == word.npos) {
        // the endings without their dot
        if (const std::optional<FileKind> kind = kind_of_name("x." + word)) {
            return kind;
        }
    }
    throw Error(
        Fault::usage, "takes png, jpeg, tiff, npy, csv or txt", {.argument = "--format", .value = word});
}

Output output_of(const std::string &word, std::optional<FileKind> format) {
    Output output = {word == "-" ? "/dev/stdout" : word, format};
    if (output.is_standard()) {
        return output;
    }
    if (!output.kind) {
        output.kind = kind_of_name(output.path);
    }
    if (output.kind || is_no_regular_file(output.path)) {
        check_writable(output.path);
    } else {
        check_output(output.path);  // says which endings there are
    }
    return output;
}

FileKind kind_for(const Output &output, FileKind kind, Type type, const std::vector<int64_t> &shape) {
    try {
        check_kind(kind, type, shape, output.compression);
        return kind;
    } catch (const Error &error) {
        if (error.fault() != Fault::usage) {
            throw;
        }
        if (output.kind || output.compression) {
            throw Error(Fault::usage, fmt::format("cannot write '{}': {}", output.path, error.what()));
        }
        return FileKind::npy;
    }
}

std::string path_for(const Output &output, FileKind kind) {
    std::string path = output.path;
    if (output.is_named_by_kind && kind_of_name(path) != kind) {
        path = std::filesystem::path(path).replace_extension(ending_of(kind)).string();
    }
    check_writable(path);
    return path;
}

void check_terminal(const Output &output, FileKind kind) {
    if (output.is_standard() && kind != FileKind::csv && kind != FileKind::txt &&
        isatty(STDOUT_FILENO) != 0) {
        throw Error(Fault::usage,
            fmt::format(
                "standard output is a terminal, which cannot show a file of the kind {}; send it to a "
                "file or a program, or take --format txt",
                name_of(kind)),
            {.argument = "output", .value = "-"});
    }
}

void check_ends(
    const std::vector<std::string> &inputs, const std::string &output, const std::string &operation) {
    if (std::count_if(inputs.begin(), inputs.end(), is_standard_input) > 1) {
        throw Error(Fault::usage, "only one input can be standard input; name a file for the others",
            {.operation = operation, .argument = "input", .value = "-"});
    }
    for (const std::string &input : inputs) {
        if (!is_standard_input(input) && output != "-" && same_file(input, output) &&
            !is_no_regular_file(output)) {
            throw Error(Fault::usage, "it is an input as well; name another file",
                {.operation = operation, .argument = "output", .value = output});
        }
    }
}

void check_written(const std::vector<std::string> &inputs, const std::vector<WrittenFile> &files,
    const std::string &operation) {
    const auto is_file = [](const std::string &path) {
        return !path.empty() && path != "-" && !is_no_regular_file(path);
    };
    const auto refuse = [&](const WrittenFile &file, const std::string &why) {
        throw Error(Fault::usage, why + "; name another file",
            {.operation = operation, .argument = file.option, .value = file.path});
    };
    for (auto file = files.begin(); file != files.end(); ++file) {
        if (!is_file(file->path)) {
            continue;
        }
        for (const std::string &input : inputs) {
            if (is_file(input) && will_be_same_file(file->path, input)) {
                refuse(*file, "it is an input as well");
            }
        }
        for (auto before = files.begin(); before != file; ++before) {
            if (is_file(before->path) && will_be_same_file(file->path, before->path)) {
                refuse(*file, "it is the file of " + before->option + " as well");
            }
        }
    }
}

}  // namespace tilewright::app
