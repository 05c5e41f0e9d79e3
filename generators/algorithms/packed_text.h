#pragma once
// Packed texts, and how they are unpacked. The kernels of variants that are alike are packed one text behind
// another: most of a text is copies of what was there before it.
//
// A text is steps: a letter, or a copy of what is some bytes back. Each step is a few bits, and each bit is
// written by the chance that it is a one, in the place where it is: a likely bit takes less space than an
// unlikely one (arithmetic coding, as in LZMA). Packing and unpacking start with the same chances and learn
// them from the same bits, so that none of them are in the packed text. PackedText has the bits of a step
// once, for the writer, the reader and the prices (text_packing.h).
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tilewright {

// The chance that a bit is a one: the mean of what the last few bits were, and of what the last hundred were.
class Chance {
public:
    // Of 65536; neither a one nor a zero is ever impossible.
    uint32_t of_one() const {
        return (uint32_t(last_few_) + last_hundred_) / 2 | 1;
    }

    // Other shares than 1/4 and 1/64 made the texts of kernels larger.
    void learn(bool one) {
        const int end = one ? 65535 : 0;
        last_few_ = (uint16_t)(last_few_ + ((end - last_few_) >> 2));
        last_hundred_ = (uint16_t)(last_hundred_ + ((end - last_hundred_) >> 6));
    }

private:
    uint16_t last_few_ = 1 << 15, last_hundred_ = 1 << 15;
};

// Gives the bits back in the order in which they were written. The bits so far leave a range of numbers, of
// which a one takes the lower part; the packed text is a number in what all bits leave.
class BitReader {
public:
    explicit BitReader(std::string_view bytes)
        : next_(reinterpret_cast<const unsigned char *>(bytes.data())), end_(next_ + bytes.size()) {
        for (int i = 0; i < 4; i++) {
            read_byte();
        }
    }

    // The second argument is the writer's.
    bool code(Chance &chance, bool /*one*/) {
        const uint32_t part = (range_ >> 16) * chance.of_one();
        const bool one = value_ < part;
        if (one) {
            range_ = part;
        } else {
            value_ -= part;
            range_ -= part;
        }
        chance.learn(one);
        while (range_ < 1u << 24) {
            range_ <<= 8;
            read_byte();
        }
        return one;
    }

private:
    const unsigned char *next_, *end_;
    uint32_t value_ = 0, range_ = ~0u;

    void read_byte() {
        value_ = value_ << 8 | (next_ != end_ ? *next_++ : 0u);
    }
};

// A copy; a letter where `length` is 0.
struct TextStep {
    uint32_t length = 0;
    uint32_t which = 0;  // of the distances of the last copies, the last one first; PastSteps::kept: another
    uint32_t back = 0;   // the other one
};

// What of the steps before counts for the next one.
struct PastSteps {
    static constexpr uint32_t kept = 4;
    std::array<uint32_t, kept> backs{1, 1, 1, 1};
    uint32_t state = 0;  // 0: letters, 1: the first letter after a copy, 2: a short copy, 3: a long one

    bool copied() const {
        return state >= 2;
    }

    void add(const TextStep &step) {
        if (step.length == 0) {
            state = copied() ? 1 : 0;
            return;
        }
        state = step.length < 8 ? 2 : 3;
        const uint32_t back = step.which < kept ? backs[step.which] : step.back;
        for (uint32_t i = std::min(step.which, kept - 1); i > 0; i--) {
            backs[i] = backs[i - 1];
        }
        backs[0] = back;
    }
};

// A number below `size`, a power of two, from its highest bit to its lowest. Each bit has chances of its own
// per bits before it.
template<typename Coder, size_t size>
uint32_t code_below(Coder &coder, std::array<Chance, size> &chances, uint32_t value) {
    uint32_t made = 1;
    for (uint32_t bit = size / 2; bit > 0; bit /= 2) {
        made = made * 2 + coder.code(chances[made], (value & bit) != 0);
    }
    return made - size;
}

// Any number: how many bits it has, and the bits below the highest one. The first four of those have chances
// per bits before them.
class CodedNumber {
public:
    template<typename Coder>
    uint32_t code(Coder &coder, uint32_t value) {
        const uint32_t width = code_below(coder, widths_, (uint32_t)std::bit_width(value));
        uint32_t made = width > 0 ? 1 : 0;
        for (int i = (int)width - 2; i >= 0; i--) {
            Chance &chance = made < 32 ? first_[width][made] : others_[width][i];
            made = made * 2 + coder.code(chance, (value >> i & 1) != 0);
        }
        return made;
    }

private:
    std::array<Chance, 32> widths_;
    std::array<std::array<Chance, 32>, 32> first_, others_;
};

// The bits of steps. Each function takes what the writer writes, and returns what the coder makes of it.
class PackedText {
public:
    static constexpr uint32_t least = 2, least_elsewhere = 4;  // lengths of copies
    static constexpr uint32_t like_longer = 6;                 // and longer: how far back is written alike

    template<typename Coder>
    bool is_copy(Coder &coder, const PastSteps &past, unsigned char last, bool value) {
        return coder.code(is_copy_[past.state][last], value);
    }

    template<typename Coder>
    uint32_t which(Coder &coder, const PastSteps &past, uint32_t value) {
        uint32_t made = 0;
        while (made < PastSteps::kept && coder.code(which_[past.state][made], value > made)) {
            made++;
        }
        return made;
    }

    // Most copies are short.
    template<typename Coder>
    uint32_t length(Coder &coder, bool elsewhere, uint32_t value) {
        Length &chances = length_[elsewhere];
        const uint32_t more = value - least;
        if (!coder.code(chances.is_more[0], more >= 8)) {
            return least + code_below(coder, chances.below_8, more);
        }
        if (!coder.code(chances.is_more[1], more >= 24)) {
            return least + 8 + code_below(coder, chances.below_24, more - 8);
        }
        return least + 24 + chances.others.code(coder, more - 24);
    }

    template<typename Coder>
    uint32_t back(Coder &coder, uint32_t length, uint32_t value) {
        return back_[std::min(length, like_longer) - least_elsewhere].code(coder, value);
    }

    // `there`: the letter that the last copy would have come to.
    template<typename Coder>
    unsigned char letter(
        Coder &coder, const PastSteps &past, unsigned char last, unsigned char there, unsigned char value) {
        if (!past.copied()) {
            return (unsigned char)code_below(coder, letter_[last], value);
        }
        uint32_t made = 1;
        bool is_as_there = true;
        for (int i = 7; i >= 0; i--) {
            const bool bit_there = (there >> i & 1) != 0;
            Chance &chance = is_as_there ? other_letter_[bit_there][made] : letter_[last][made];
            const bool bit = coder.code(chance, (value >> i & 1) != 0);
            is_as_there = is_as_there && bit == bit_there;
            made = made * 2 + bit;
        }
        return (unsigned char)made;
    }

private:
    struct Length {
        std::array<Chance, 2> is_more;
        std::array<Chance, 8> below_8;
        std::array<Chance, 16> below_24;
        CodedNumber others;
    };
    std::array<std::array<Chance, 256>, 4> is_copy_;
    std::array<std::array<Chance, PastSteps::kept>, 4> which_;
    std::array<Length, 2> length_;
    std::array<CodedNumber, like_longer - least_elsewhere + 1> back_;
    std::array<std::array<Chance, 256>, 256> letter_;
    std::array<std::array<Chance, 256>, 2> other_letter_;
};

// The letter `back` bytes before `at`; 0 before the text begins.
inline unsigned char letter_before(std::string_view text, size_t at, size_t back) {
    return at >= back ? (unsigned char)text[at - back] : 0;
}

// The first `size` bytes of a text that packed() made (text_packing.h). With all functions in one, it takes
// less time. Errors: std::runtime_error where a copy begins before the text, as it may be where another
// version packed it.
[[gnu::flatten]] inline std::string unpacked(std::string_view packed, size_t size) {
    std::string text(size, '\0');
    BitReader reader(packed);
    const auto model = std::make_unique<PackedText>();
    PastSteps past;
    for (size_t at = 0; at < size;) {
        const unsigned char last = letter_before(text, at, 1);
        TextStep step;
        if (!model->is_copy(reader, past, last, false)) {
            text[at] = (char)model->letter(reader, past, last, letter_before(text, at, past.backs[0]), 0);
            past.add(step);
            at++;
            continue;
        }
        step.which = model->which(reader, past, 0);
        const bool elsewhere = step.which >= PastSteps::kept;
        step.length = model->length(reader, elsewhere, 0);
        step.back = elsewhere ? model->back(reader, step.length, 0) : 0;
        past.add(step);
        const size_t back = past.backs[0], count = std::min<size_t>(step.length, size - at);
        if (back == 0 || back > at) {
            throw std::runtime_error("the kernels of a library were packed by another version of Tilewright");
        }
        char *const to = text.data() + at;
        if (back >= count) {
            std::memcpy(to, to - back, count);
        } else {  // the copy repeats itself
            for (size_t i = 0; i < count; i++) {
                to[i] = *(to + i - back);
            }
        }
        at += count;
    }
    return text;
}

}  // namespace tilewright
