#pragma once
// A bundle: one executable file with this program and libraries of many points, for machines that have no
// more than a driver.
#include "apps/laboratory/explore/exploration.h"
#include "apps/tilewright/terminal/json.h"
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilewright::app {

// Builds about `points` libraries, the same number for each variant of the cases as far as variants have that
// many, and writes the bundle: a shell script with an archive behind it. One half of the points are steps
// from the variant's own values, and the other half are random; combinations that the generator refuses are
// left out. Of a generator that is not ours the bundle also has the libraries that are no points: those of
// the parameters' own values, and those that say what is right. `words` are what the search was asked for,
// for whoever runs the bundle. Errors: failed, where the file cannot be written, and where a program that it
// takes (tar, gzip) is missing.
void write_bundle(
    const std::vector<ExploredCase> &cases, size_t points, const Json &words, const std::string &file);

// What was asked for, and the points of each variant, by its name. From then on this process has the
// libraries of the bundle, and builds none. Errors: input, where the folder holds no bundle of this program.
struct Bundle {
    Json words;
    std::vector<std::pair<std::string, TunableValues>> points;
};
Bundle read_bundle(const std::string &folder);

}  // namespace tilewright::app
