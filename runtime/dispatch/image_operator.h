#pragma once
// A front for operators from one image to another. Not installed.
#include "runtime/dispatch/launch.h"
#include "tilewright/operator.h"
#include <vector>

namespace tilewright {

// As it is: output of the input's type and shape, one row of the table per element type ("u8", "f32" ...), libraries that take
// (image, output) as rows of elements. What differs is overridden.
class ImageOperator : public Operator {
public:
    // What an output element depends on. Of a colour image a library sees rows of w * c elements, in which the neighbours of an element
    // are other channels. So only a `pointwise` operator, whose output element depends on the input element at the same place alone,
    // takes (h, w, c). `window` is any other operator: it takes (h, w) and refuses colour, unless it overrides type_of() and view_of().
    enum class Kind { window, pointwise };

    ImageOperator(std::string name, std::string summary, const std::vector<Row> &rows, Kind kind = Kind::window)
        : name_(std::move(name)), summary_(std::move(summary)), rows_(rows), kind_(kind) {
    }

    std::string name() const override {
        return name_;
    }
    std::string summary() const override {
        return summary_;
    }
    const std::vector<Row> &rows() const override {
        return rows_;
    }
    std::string type_of(std::span<const Array> inputs, const Settings &settings) const override;
    std::pair<Type, std::vector<int64_t>> output_of(std::span<const Array> inputs, const Settings &settings) const override;

    // Every size, but for rows that an autoscheduler made: these take what their libraries say they take.
    bool serves(const Row &row, std::span<const Array> inputs, const Array &output, const Settings &settings) const override;
    void run(const Row &row, Device device, std::span<const Array> inputs, Array &output, const Settings &settings) const override;

    // Random images: one pixel, odd, thin, around 16, 64, 128 and 256, prime, without padding, and a crop of a larger one;
    // for a pointwise operator one with three channels.
    std::vector<Sample> samples(const std::string &type) const override;
    Sample benchmark_sample(const std::string &type, int64_t w, int64_t h, const Settings &settings) const override;

protected:
    // How a library sees an image or the output: rows of elements.
    virtual View view_of(const Array &array) const {
        return rows_of(array);
    }

    // The element type and channel count (1: no axis for channels) of the images that a type of the table stands for.
    struct Pixel {
        Type type;
        int64_t channels;
    };
    virtual Pixel pixel_of(const std::string &type) const;

private:
    std::string name_, summary_;
    const std::vector<Row> &rows_;
    Kind kind_;
};

}  // namespace tilewright
