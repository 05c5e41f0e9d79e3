// Words and numbers as the commands print them.
#include "apps/tilewright/terminal/printing.h"
#include "apps/tilewright/terminal/progress.h"
#include "apps/tilewright/terminal/standard_streams.h"
#include "runtime/process/environment.h"
#include "tilewright/error.h"
#include "tilewright/files.h"
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <sstream>
#include <string_view>
#include <unistd.h>

namespace tilewright::app {

std::string one_line(const std::string &text) {
    std::string line;
    put_in_one_line(text, [&](char c) { line += c; });
    return line;
}

static std::vector<size_t> widths_of(const std::vector<std::vector<std::string>> &lines) {
    std::vector<size_t> widths;
    for (const auto &line : lines) {
        widths.resize(std::max(widths.size(), line.size()));
        for (size_t i = 0; i < line.size() && line.size() > 1; i++) {
            widths[i] = std::max(widths[i], line[i].size());
        }
    }
    return widths;
}

std::string table(const std::vector<std::vector<std::string>> &lines) {
    const std::vector<size_t> widths = widths_of(lines);
    std::string text;
    for (const auto &line : lines) {
        for (size_t i = 0; i < line.size(); i++) {
            const bool last = i + 1 == line.size();
            text += last ? one_line(line[i]) : fmt::format("{:<{}}  ", one_line(line[i]), widths[i]);
        }
        text.erase(text.find_last_not_of(' ') + 1);
        text += '\n';
    }
    return text;
}

std::string wrapped_table(const std::vector<std::vector<std::string>> &lines, size_t width) {
    const std::vector<size_t> widths = widths_of(lines);
    size_t indent = 0;
    for (size_t i = 0; i + 1 < widths.size(); i++) {
        indent += widths[i] + 2;
    }
    const size_t room = std::max<size_t>(width > indent ? width - indent : 0, 20);
    std::vector<std::vector<std::string>> broken;
    for (std::vector<std::string> line : lines) {
        while (line.back().size() > room) {
            const std::string last = line.back();
            const size_t blank = last.rfind(' ', room);
            const size_t end = blank == std::string::npos || blank == 0 ? last.find(' ') : blank;
            if (end == std::string::npos) {
                break;
            }
            line.back() = last.substr(0, end);
            broken.push_back(line);
            line.assign(line.size(), "");
            line.back() = last.substr(end + 1);
        }
        broken.push_back(line);
    }
    return table(broken);
}

std::string bytes(double count) {
    constexpr std::array units = {"B", "kB", "MB", "GB", "TB"};
    size_t unit = 0;
    while (count >= 1000 && unit + 1 < units.size()) {
        count /= 1000;
        unit++;
    }
    return fmt::format("{:.3g} {}", count, units[unit]);
}

std::string plural(uint64_t count, const char *word) {
    return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

std::vector<std::string> parted(const std::string &text, char separator) {
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, separator);) {
        words.push_back(word);
    }
    return words;
}

std::string joined(const std::vector<std::string> &words, const std::string &between) {
    return fmt::format("{}", fmt::join(words, between));
}

static std::string plain(const std::string &given) {
    std::string text;
    text.reserve(given.size());
    put_plain(given, [&](char c) { text += c; });
    return text;
}

static void write_output(const std::string &text) {
    Progress::hide();
    if (fwrite(text.data(), 1, text.size(), stdout) != text.size() || fflush(stdout) != 0) {
        if (errno == EPIPE) {  // the reader has closed the pipe (`tilewright list | head -3`): end without a
                               // message, as filters do
            remove_pending_outputs();
            _exit(128 + SIGPIPE);
        }
        throw Error(
            Fault::failed, fmt::format("standard output cannot be written: {}; send it to a place with room",
                               strerror(errno)));
    }
}

void print(const std::string &text) {
    write_output(plain(text));
}

static bool shows_colours() {
    return obeys_codes(STDOUT_FILENO) && environment_value("NO_COLOR").empty();
}

static const char *colour_of(std::string_view word, bool begins_line) {
    constexpr const char *green = "\033[32m", *yellow = "\033[33m", *red = "\033[31m";
    constexpr std::array<std::string_view, 5> wrong = {"WRONG", "FAILED", "FAIL", "UNTRIED", "SLOWER"};
    return begins_line && word == "ok"                                ? green :
           begins_line && word == "warn"                              ? yellow :
           std::find(wrong.begin(), wrong.end(), word) != wrong.end() ? red :
                                                                        nullptr;
}

void print_verdicts(const std::string &given) {
    const std::string text = plain(given);
    if (!shows_colours()) {
        write_output(text);
        return;
    }
    std::string coloured;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find_first_of(" \n:", at), text.size());
        const std::string_view word(text.data() + at, end - at);
        const char *const colour = colour_of(word, at == 0 || text[at - 1] == '\n');
        coloured += colour == nullptr ? std::string(word) : fmt::format("{}{}\033[0m", colour, word);
        coloured += text.substr(end, 1);
        at = end + 1;
    }
    write_output(coloured);
}

std::string other_libraries(const std::string &variant, const std::vector<std::string> &ran) {
    std::vector<std::string> words;
    for (size_t i = 0, count = 1; i < ran.size(); i += count, count = 1) {
        while (i + count < ran.size() && ran[i + count] == ran[i]) {
            count++;
        }
        words.push_back(count == 1 ? ran[i] : fmt::format("{}, {} times", ran[i], count));
    }
    return ran == std::vector{variant} ? "" : joined(words, " + ");
}

std::string other_libraries(const Variant &variant, const std::vector<const Variant *> &ran) {
    std::vector<std::string> names;
    for (const Variant *library : ran) {
        names.push_back(library->name());
    }
    return other_libraries(variant.name(), names);
}

}  // namespace tilewright::app
