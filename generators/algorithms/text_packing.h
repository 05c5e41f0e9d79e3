#pragma once
// Packs texts for packed_text.h, in the steps that take the fewest bits.
#include "generators/algorithms/packed_text.h"
#include <cmath>
#include <limits>
#include <vector>

namespace tilewright {

// Writes the lowest number of the range that the bits leave. A byte waits until no later bit can add a carry
// to it: `waiting_` bytes, of which the first is `first_` and all others are 255.
class BitWriter {
public:
    bool code(Chance &chance, bool one) {
        const uint32_t part = (range_ >> 16) * chance.of_one();
        if (one) {
            range_ = part;
        } else {
            low_ += part;
            range_ -= part;
        }
        chance.learn(one);
        while (range_ < 1u << 24) {
            range_ <<= 8;
            write_byte();
        }
        return one;
    }

    std::string bytes() {
        for (int i = 0; i < 5; i++) {
            write_byte();
        }
        return bytes_.substr(1);  // nothing is carried into the first one
    }

private:
    std::string bytes_;
    uint64_t low_ = 0, waiting_ = 1;
    uint32_t range_ = ~0u;
    unsigned char first_ = 0;

    void write_byte() {
        const bool carry = low_ >> 32 != 0;
        if (carry || low_ < 0xff000000u) {
            for (; waiting_ > 0; waiting_--) {
                bytes_ += (char)(first_ + carry);
                first_ = 255;
            }
            first_ = (unsigned char)(low_ >> 24);
        }
        waiting_++;
        low_ = (low_ & 0xffffff) << 8;
    }
};

// How many bits of the packed text are needed for those that are coded. Learns nothing.
class BitPrice {
public:
    float bits = 0;

    bool code(const Chance &chance, bool one) {
        static const auto all = [] {
            std::array<float, 1024> bits_of{};
            for (size_t i = 0; i < bits_of.size(); i++) {
                bits_of[i] = -std::log2(((float)i + .5f) / (float)bits_of.size());
            }
            return bits_of;
        }();
        bits += all[(one ? chance.of_one() : 65536 - chance.of_one()) >> 6];
        return one;
    }
};

// Among the steps from one place of the text to one some thousand letters later, those are taken that cost
// least by the chances of the first place.
class TextPacking {
public:
    explicit TextPacking(std::string_view text) : text_(text), older_(text.size()) {}

    std::string packed() {
        while (at_ < text_.size()) {
            for (const TextStep &step : cheapest_steps()) {
                write(step);
            }
        }
        return writer_.bytes();
    }

private:
    // A copy of `long_enough` is taken at once. Of the places that begin with the same four letters, the
    // newest `tried` are looked at.
    static constexpr uint32_t long_enough = 128;
    static constexpr int tried = 48, slot_bits = 18;
    static constexpr size_t span = 4096;

    // A place that steps come to: those that cost least.
    struct Place {
        float cost = std::numeric_limits<float>::max();
        TextStep step;  // the last one
        PastSteps past;
    };

    std::string_view text_;
    size_t at_ = 0, known_ = 0;  // what is written, and what is in `newest_`
    BitWriter writer_;
    PackedText model_;
    PastSteps past_;
    std::vector<int> newest_ = std::vector<int>(1 << slot_bits, -1), older_;
    std::vector<Place> places_ = std::vector<Place>(span + long_enough);
    std::array<std::array<float, long_enough + 1>, 2> length_costs_{};
    std::array<uint32_t, 2> lengths_priced_{};  // the lengths below have their costs

    template<typename Code>
    static float cost_of(const Code &code) {
        BitPrice price;
        code(price);
        return price.bits;
    }

    float cost_of_length(bool elsewhere, uint32_t length) {
        for (uint32_t &next = lengths_priced_[elsewhere]; next <= length; next++) {
            length_costs_[elsewhere][next] =
                cost_of([&](BitPrice &price) { model_.length(price, elsewhere, next); });
        }
        return length_costs_[elsewhere][length];
    }

    unsigned char letter(size_t at) const {
        return (unsigned char)text_[at];
    }

    int &newest_at(size_t at) {
        uint32_t letters = 0;
        std::memcpy(&letters, text_.data() + at, sizeof letters);
        return newest_[letters * 2654435761u >> (32 - slot_bits)];
    }

    void know_up_to(size_t end) {
        for (; known_ < end && known_ + PackedText::least_elsewhere <= text_.size(); known_++) {
            int &newest = newest_at(known_);
            older_[known_] = newest;
            newest = (int)known_;
        }
    }

    // Of two places, the first one before the second one. Eight letters at a time.
    uint32_t same_letters(size_t a, size_t b) const {
        size_t same = 0;
        for (uint64_t one = 0, other = 0; b + same + sizeof one <= text_.size(); same += sizeof one) {
            std::memcpy(&one, text_.data() + a + same, sizeof one);
            std::memcpy(&other, text_.data() + b + same, sizeof other);
            if (one != other) {
                return (uint32_t)(same + size_t(std::countr_zero(one ^ other)) / 8);
            }
        }
        while (b + same < text_.size() && text_[a + same] == text_[b + same]) {
            same++;
        }
        return (uint32_t)same;
    }

    void reach(size_t from, const TextStep &step, float cost) {
        Place &to = places_[from + std::max(step.length, 1u)];
        if (cost < to.cost) {
            to.cost = cost;
            to.step = step;
        }
    }

    std::vector<TextStep> cheapest_steps() {
        lengths_priced_ = {PackedText::least, PackedText::least};
        std::fill_n(places_.begin(), long_enough, Place());
        places_[0] = {0, {}, past_};
        TextStep last;
        size_t i = 0;
        for (const size_t end = std::min(span, text_.size() - at_); i < end; i++) {
            Place &place = places_[i];
            places_[i + long_enough] = Place();  // no step from here comes farther
            if (i > 0) {
                place.past = places_[i - std::max(place.step.length, 1u)].past;
                place.past.add(place.step);
            }
            know_up_to(at_ + i);
            last = try_copies(i);
            if (last.length > 0) {
                break;
            }
            try_letter(i);
        }
        std::vector<TextStep> steps;
        if (last.length > 0) {
            steps.push_back(last);
        }
        for (; i > 0; i -= std::max(places_[i].step.length, 1u)) {
            steps.push_back(places_[i].step);
        }
        std::ranges::reverse(steps);
        return steps;
    }

    void try_letter(size_t i) {
        const Place &place = places_[i];
        const size_t at = at_ + i;
        const unsigned char last = letter_before(text_, at, 1);
        reach(i, {}, place.cost + cost_of([&](BitPrice &price) {
            model_.is_copy(price, place.past, last, false);
            model_.letter(price, place.past, last, letter_before(text_, at, place.past.backs[0]), letter(at));
        }));
    }

    // Returns a copy that is long enough, or a letter.
    TextStep try_copies(size_t i) {
        const Place &place = places_[i];
        const size_t at = at_ + i;
        std::array<uint32_t, PastSteps::kept> most{};
        TextStep longest;
        for (uint32_t which = 0; which < PastSteps::kept; which++) {
            const size_t back = place.past.backs[which];
            most[which] = at < back ? 0 : same_letters(at - back, at);
            if (most[which] >= long_enough && most[which] > longest.length) {
                longest = {most[which], which, 0};
            }
        }
        if (longest.length > 0) {
            return longest;
        }
        const auto cost_of_which = [&](uint32_t which) {
            return place.cost + cost_of([&](BitPrice &price) {
                model_.is_copy(price, place.past, letter_before(text_, at, 1), true);
                model_.which(price, place.past, which);
            });
        };
        for (uint32_t which = 0; which < PastSteps::kept; which++) {
            const float cost = cost_of_which(which);
            for (uint32_t length = PackedText::least; length <= most[which]; length++) {
                reach(i, {length, which, 0}, cost + cost_of_length(false, length));
            }
        }
        return try_elsewhere(i, cost_of_which(PastSteps::kept));
    }

    TextStep try_elsewhere(size_t i, float cost) {
        const size_t at = at_ + i;
        uint32_t done = PackedText::least_elsewhere - 1;
        if (at + done >= text_.size()) {
            return {};
        }
        int left = tried;
        for (int from = newest_at(at); from >= 0 && left > 0; from = older_[from], left--) {
            const uint32_t back = (uint32_t)(at - from),
                           most = at + done < text_.size() && text_[from + done] == text_[at + done] ?
                                      same_letters(from, at) :
                                      0;
            if (most >= long_enough) {
                return {most, PastSteps::kept, back};
            }
            // Shorter ones are nearer, which costs less.
            for (float of_back = 0; done < most; done++) {
                const uint32_t length = done + 1;
                if (of_back == 0 || length <= PackedText::like_longer) {
                    of_back = cost_of([&](BitPrice &price) { model_.back(price, length, back); });
                }
                reach(i, {length, PastSteps::kept, back}, cost + of_back + cost_of_length(true, length));
            }
        }
        return {};
    }

    void write(const TextStep &step) {
        const unsigned char last = letter_before(text_, at_, 1);
        if (!model_.is_copy(writer_, past_, last, step.length > 0)) {
            model_.letter(writer_, past_, last, letter_before(text_, at_, past_.backs[0]), letter(at_));
        } else {
            const bool elsewhere = step.which >= PastSteps::kept;
            model_.which(writer_, past_, step.which);
            model_.length(writer_, elsewhere, step.length);
            if (elsewhere) {
                model_.back(writer_, step.length, step.back);
            }
        }
        past_.add(step);
        at_ += std::max(step.length, 1u);
    }
};

// What unpacked() makes the text of.
inline std::string packed(std::string_view text) {
    return std::make_unique<TextPacking>(text)->packed();
}

}  // namespace tilewright
