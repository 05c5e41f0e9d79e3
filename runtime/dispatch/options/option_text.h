#pragma once
// Names and values as people write them, on the command line and in the stages of a pipeline. Not installed.
#include "tilewright/operator.h"
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace tilewright {

// The known word that is nearest to `word`, as " (did you mean 'x'?)"; empty when none is near.
std::string did_you_mean(const std::string &word, const std::vector<std::string> &known);

// Adds a word at the end, unless it is among them.
void add_once(std::vector<std::string> &words, const std::string &word);

// The families of schedules of a table, each once, in its order: "reference, tuned, padded".
std::string families_in(std::span<const Variant> variants);

// What is said of a schedule that is none of the table's: "no such schedule (did you mean 'tuned'?); there
// are reference, tuned, padded; `tilewright list transpose` has all".
std::string no_such_schedule(
    const std::string &word, std::span<const Variant> variants, const std::string &op);

// The word for a value of an enum, whose words are in the order of its values. A number that is none of them
// is its own word, which no option takes.
std::string word_of(size_t value, const std::vector<std::string> &words);

// A length as a reader writes it: "19.2 cm". At most four digits, but for lengths of 10000 km and more.
std::string length_text(double metres);

// The number that `text` is as a value of an option that is a number, in the option's unit. Errors: usage.
double number_of(const Option &option, const std::string &text);

// What `text` means as a value of that option. `written` is the option as it stands where the text was found:
// "--sigma", "sigma". Errors: usage, for what is no number, no length or none of its words.
std::variant<double, std::string> value_of(
    const Operator &op, const Option &option, const std::string &text, const std::string &written);

}  // namespace tilewright
