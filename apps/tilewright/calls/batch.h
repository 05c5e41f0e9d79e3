#pragma once
// Many files as the inputs of one command: folders, names of outputs, and errors of single files.
#include "tilewright/files.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::app {

// One file of a batch, and the file in the folder that its result is written to.
struct BatchItem {
    std::string input, output;
};

// The files: each word is one, or a folder, which stands for the files in it whose ending names a kind, in
// the order of their names. An output has its input's name, with the ending of `format` where it is given.
// `further_inputs`: files that each call reads beside its own one. Makes the folder. Errors: usage, when two
// inputs have one name (without ending), or an output is an input, whatever its kind will be; input, when a
// folder has no such files; failed, when the output's folder cannot be made.
std::vector<BatchItem> batch_of(const std::vector<std::string> &words,
    const std::vector<std::string> &further_inputs, const std::string &folder, std::optional<FileKind> format,
    const std::string &operation);

// Calls `run` for each item, on `workers` threads, so that some files are read and written while another one
// is computed; shows the progress. An error of one item is printed, and the others go on. Errors: when items
// failed, one of the class of the first of them.
void run_batch(const std::vector<BatchItem> &items, const std::string &operation, size_t workers,
    const std::function<void(const BatchItem &)> &run);

}  // namespace tilewright::app
