#include "apps/tilewright/calls/batch.h"
#include "apps/tilewright/terminal/progress.h"
#include "apps/tilewright/terminal/standard_streams.h"
#include "tilewright/error.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <sys/stat.h>
#include <thread>

namespace tilewright::app {

namespace {

namespace fs = std::filesystem;

// Hidden files are left out: many are what other programs have not finished.
std::vector<std::string> files_in(const std::string &folder) {
    std::vector<std::string> files;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        std::error_code unknown;
        if (!name.starts_with('.') && kind_of_name(name) && entry->is_regular_file(unknown)) {
            files.push_back(entry->path().string());
        }
    }
    if (error) {
        throw Error(Fault::input,
            fmt::format("cannot read the folder '{}': {}; check its permissions", folder, error.message()));
    }
    if (files.empty()) {
        throw Error(Fault::input,
            fmt::format(
                "the folder '{}' holds no file that ends in .png, .jpg, .tif, .npy, .csv or .txt; name "
                "files, or another folder",
                folder));
    }
    std::sort(files.begin(), files.end());
    return files;
}

void make_folder(const std::string &folder) {
    std::error_code error;
    fs::create_directory(folder, error);
    if (!error && fs::is_directory(folder, error)) {
        return;
    }
    throw Error(Fault::failed,
        fmt::format("cannot make the folder '{}': {}; name another one, in a folder that exists", folder,
            error ? error.message() : "it is a file"),
        {.argument = "--into", .value = folder});
}

using FileId = std::pair<dev_t, ino_t>;

std::optional<FileId> id_of(const std::string &path) {
    struct stat about = {};
    if (stat(path.c_str(), &about) != 0) {
        return std::nullopt;
    }
    return FileId{about.st_dev, about.st_ino};
}

// Where the result may be written: its kind, and with it its ending, is open without a format.
std::vector<std::string> places_of(const BatchItem &item, std::optional<FileKind> format) {
    std::vector<std::string> places = {item.output};
    for (const FileKind kind :
        {FileKind::png, FileKind::jpeg, FileKind::tiff, FileKind::npy, FileKind::csv, FileKind::txt}) {
        if (!format) {
            places.push_back(fs::path(item.output).replace_extension(ending_of(kind)).string());
        }
    }
    return places;
}

void check_outputs(const std::vector<BatchItem> &items, const std::vector<std::string> &further_inputs,
    std::optional<FileKind> format, const std::string &operation) {
    std::map<std::string, std::string> inputs_by_name;  // without endings, which the results may change
    std::set<FileId> inputs;
    for (const std::string &further : further_inputs) {
        if (const auto id = id_of(further)) {
            inputs.insert(*id);
        }
    }
    for (const BatchItem &item : items) {
        const auto [other, is_new] =
            inputs_by_name.emplace(fs::path(item.output).stem().string(), item.input);
        if (!is_new) {
            throw Error(Fault::usage,
                fmt::format("the results of '{}' and '{}' would have one name, '{}'; rename one, or call the "
                            "program twice",
                    other->second, item.input, other->first),
                {.operation = operation, .argument = "--into"});
        }
        if (const auto id = id_of(item.input)) {
            inputs.insert(*id);
        }
    }
    for (const BatchItem &item : items) {
        for (const std::string &place : places_of(item, format)) {
            const auto id = id_of(place);
            if (id && inputs.contains(*id)) {
                throw Error(Fault::usage, "it is an input as well; name another folder",
                    {.operation = operation, .argument = "output", .value = place});
            }
        }
    }
}

}  // namespace

std::vector<BatchItem> batch_of(const std::vector<std::string> &words,
    const std::vector<std::string> &further_inputs, const std::string &folder, std::optional<FileKind> format,
    const std::string &operation) {
    std::vector<BatchItem> items;
    for (const std::string &word : words) {
        if (word == "-") {
            throw Error(Fault::usage, "standard input has no name that its result could have; name files",
                {.operation = operation, .argument = "input", .value = word});
        }
        std::error_code unknown;
        for (const std::string &file :
            fs::is_directory(word, unknown) ? files_in(word) : std::vector<std::string>{word}) {
            fs::path name = fs::path(file).filename();
            if (format) {
                name.replace_extension(ending_of(*format));
            }
            items.push_back({file, (fs::path(folder) / name).string()});
        }
    }
    check_outputs(items, further_inputs, format, operation);
    make_folder(folder);
    return items;
}

void run_batch(const std::vector<BatchItem> &items, const std::string &operation, size_t workers,
    const std::function<void(const BatchItem &)> &run) {
    Progress progress(operation, items.size());
    std::mutex mutex;  // of everything that the threads share
    size_t begun = 0;
    std::map<size_t, Fault> faults;  // of the items that failed
    const auto note = [&](size_t i, Fault fault, const std::string &message) {
        const std::scoped_lock lock(mutex);
        faults.emplace(i, fault);
        Progress::hide();
        print_error_line("tilewright: error: ", message);
    };
    const auto next = [&]() -> std::optional<size_t> {
        const std::scoped_lock lock(mutex);
        if (begun == items.size()) {
            return std::nullopt;
        }
        progress.step(items[begun].input);
        return begun++;
    };
    const auto work = [&] {
        while (const std::optional<size_t> i = next()) {
            const BatchItem &item = items[*i];
            try {
                run(item);
            } catch (const Error &error) {
                const std::string message = error.what();
                note(*i, error.fault(),
                    message.find(item.input) != message.npos ? message :
                                                               fmt::format("{}: {}", item.input, message));
            } catch (const std::bad_alloc &) {
                note(*i, Fault::memory, item.input + ": out of memory on the host; take a smaller image");
            }
        }
    };
    {
        std::vector<std::jthread> others;
        for (size_t i = 1; i < std::min(workers, items.size()); i++) {
            others.emplace_back(work);
        }
        work();
    }
    if (!faults.empty()) {
        throw Error(faults.begin()->second,
            fmt::format("{} of {} files failed; the lines above say why", faults.size(), items.size()),
            {.operation = operation});
    }
}

}  // namespace tilewright::app
