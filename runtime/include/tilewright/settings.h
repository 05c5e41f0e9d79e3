#pragma once
#include <initializer_list>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>
#pragma GCC visibility push(default)

namespace tilewright {

// The values of an operator's own options, by name ("sigma", "border", "output-type").
class Settings {
public:
    // By the names of options: numbers and words.
    Settings() = default;
    Settings(std::initializer_list<std::pair<const std::string, std::variant<double, std::string>>> values)
        : values_(values) {}
    void set(const std::string &name, std::variant<double, std::string> value) {
        values_[name] = std::move(value);
    }
    bool has(const std::string &name) const {
        return values_.contains(name);
    }
    // The value; `otherwise`, or without that an std::logic_error, where there is none. Errors: usage, for a
    // word in place of a number and a number in place of a word.
    double number(const std::string &name) const;
    double number(const std::string &name, double otherwise) const;
    std::string text(const std::string &name) const;
    std::string text(const std::string &name, const std::string &otherwise) const;
    const std::map<std::string, std::variant<double, std::string>> &all() const {
        return values_;
    }

private:
    std::map<std::string, std::variant<double, std::string>> values_;
};

// An option of an operator. It is declared once: the command line, its help, pipelines and the checks of a
// call are made from it.
struct Option {
    std::string name, help;
    bool is_number = false;  // or else a word
    std::string value = {};  // the default, as text; empty: none
    // for words: what it takes; empty: the operator looks at the word itself
    std::vector<std::string> choices = {};
    std::string unit = {};     // for numbers: "m" for lengths, which may be written with a suffix ("532nm")
    std::string example = {};  // for options without a default: what examples give
    bool is_flag = false;      // for words: given without a value, which is then "yes"
    double least = -std::numeric_limits<double>::infinity();  // for numbers: the range
    double most = std::numeric_limits<double>::infinity();
    bool excludes_ends = false;  // the range is without `least` and `most` themselves
    bool is_whole = false;       // for numbers: whole ones only
    bool is_needed = false;      // a call without it is refused

    std::string range() const;  // "a number from 0.5 to 2000", "a length from 1pm to 1m"; of words "u32, f32"
};

}  // namespace tilewright
#pragma GCC visibility pop
