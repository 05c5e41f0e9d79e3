#pragma once
// A report: one HTML file that shows timed runs as plots and tables, and needs no network.
#include "apps/laboratory/results/timed_runs.h"

namespace tilewright::app {

// The text of the file. Where two runs are of the same variant, device and data, the later one counts.
// A small page loads the plotting library from plots.js beside it.
std::string report_page(const std::vector<TimedFile> &files, bool small = false);

// Makes the page and writes it. Says on standard error where the plots are missing. Errors: failed, when the
// file cannot be written.
void write_report(const std::string &path, const std::vector<TimedFile> &files, bool small = false);

}  // namespace tilewright::app
