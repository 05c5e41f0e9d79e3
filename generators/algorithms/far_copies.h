#pragma once
// Long texts whose parts repeat at any distance: the kernels of variants that are alike, one text behind
// another. zlib sees the last 32 KiB alone, and repeats at most 258 bytes at a time.
//
// A text becomes letters, and steps of three numbers each: how many of the letters come next, how many bytes
// to copy after them, and from how far back: 0 for as far as the last time. zlib then deflates both.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

struct FarCopies {
    std::string steps, letters;

    // Seven bits per byte; all bytes of a number but its last one have the eighth bit.
    void add_number(size_t number) {
        for (; number > 127; number >>= 7) {
            steps += (char)(number | 128);
        }
        steps += (char)number;
    }
};

inline FarCopies with_far_copies(std::string_view text) {
    // A shorter repetition is zlib's. One that is as far back as the last one costs less, so that it pays
    // sooner: kernels that are alike differ in a few places.
    constexpr size_t least = 64, least_as_far = 24;
    constexpr uint32_t nowhere = std::numeric_limits<uint32_t>::max();
    constexpr int slot_bits = 20;
    std::vector<uint32_t> last_at(size_t(1) << slot_bits, nowhere);  // by what the next `least` bytes are
    const auto slot = [&](size_t at) -> uint32_t & {
        uint64_t hash = 0, word = 0;
        for (size_t i = 0; i < least; i += sizeof word) {
            std::memcpy(&word, text.data() + at + i, sizeof word);
            hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
            hash ^= hash >> 29;
        }
        return last_at[hash >> (64 - slot_bits)];
    };
    FarCopies made;
    size_t done = 0, last_back = 0;
    for (size_t at = 0; at + least <= text.size();) {
        const bool is_as_far =
            last_back > 0 && text.substr(at, least_as_far) == text.substr(at - last_back, least_as_far);
        size_t from = is_as_far ? at - last_back : slot(at), to = at, end = at;
        slot(at) = (uint32_t)at;
        while (from != nowhere && end < text.size() && text[from + end - at] == text[end]) {
            end++;
        }
        if (end < at + (is_as_far ? least_as_far : least)) {
            at++;
            continue;
        }
        while (to > done && from > 0 && text[from - 1] == text[to - 1]) {
            from--;
            to--;
        }
        made.letters += text.substr(done, to - done);
        made.add_number(to - done);
        made.add_number(end - to);
        made.add_number(to - from == last_back ? 0 : to - from);
        last_back = to - from;
        for (at++; at < end && at + least <= text.size(); at++) {
            slot(at) = (uint32_t)at;
        }
        at = done = end;
    }
    made.letters += text.substr(done);
    made.add_number(text.size() - done);
    made.add_number(0);
    made.add_number(0);
    return made;
}

// Reads the numbers of steps.
class FarSteps {
public:
    explicit FarSteps(std::string_view steps) : steps_(steps) {}

    struct Step {
        size_t own, copied, back;
    };
    // Nothing comes after the last one.
    bool next(Step &step) {
        if (at_ >= steps_.size()) {
            return false;
        }
        step.own = number();
        step.copied = number();
        const size_t back = number();
        step.back = last_back_ = back == 0 ? last_back_ : back;
        return true;
    }

private:
    std::string_view steps_;
    size_t at_ = 0, last_back_ = 0;

    size_t number() {
        size_t value = 0;
        for (int shift = 0; at_ < steps_.size(); shift += 7) {
            const auto byte = (unsigned char)steps_[at_++];
            value |= (size_t)(byte & 127) << shift;
            if (byte < 128) {
                break;
            }
        }
        return value;
    }
};

// How many of the letters the first `size` bytes of the text need.
inline size_t letters_up_to(std::string_view steps, size_t size) {
    FarSteps all(steps);
    size_t letters = 0, done = 0;
    for (FarSteps::Step step{}; done < size && all.next(step);) {
        letters += std::min(step.own, size - done);
        done += step.own + step.copied;
    }
    return letters;
}

// The first `size` bytes of the text of which with_far_copies() made steps and letters.
inline std::string without_far_copies(std::string_view steps, std::string_view letters, size_t size) {
    std::string text;
    text.reserve(size);
    FarSteps all(steps);
    size_t next_letter = 0;
    for (FarSteps::Step step{}; text.size() < size && all.next(step);) {
        text += letters.substr(next_letter, std::min(step.own, size - text.size()));
        next_letter += step.own;
        // In parts where the copy is longer than its distance, because it then repeats itself.
        for (size_t left = std::min(step.copied, size - text.size()); left > 0;) {
            const size_t part = std::min(left, step.back);
            text.append(text, text.size() - step.back, part);
            left -= part;
        }
    }
    return text;
}

}  // namespace tilewright
