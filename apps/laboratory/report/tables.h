#pragma once
// The tables of a report as HTML.
#include "apps/laboratory/results/timed_runs.h"

namespace tilewright::app {

// The runs of a report. Their `context` is an index of `devices`.
struct ReportData {
    std::vector<std::string> devices;  // "NVIDIA H200 (cuda)"
    std::vector<double> copy_rates;    // bytes read and written per second; 0 where no file says it
    std::vector<TimedRun> runs;
};

// The text with &, <, > and quotes as HTML writes them.
std::string html(std::string_view text);

// "transpose on NVIDIA H200 (cuda)"
std::string title_of(const ReportData &data);

// With what each file was measured.
std::string files_table(const std::vector<TimedFile> &files);

// For each operator, data and device: the variant that a call takes, and how many times as fast it is as the
// fastest peer and as the variant `reference`. Only what was timed beside a peer, where anything was.
std::string answers(const ReportData &data);

// A section per operator, with the places of its plots and all times.
std::string operator_sections(const ReportData &data);

// Variants and points that were not timed, failed or were wrong, with the reason.
std::string untimed_table(const ReportData &data);

}  // namespace tilewright::app
