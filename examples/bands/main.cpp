// A line camera whose rows go through a blur into a file and into a class of this program, which looks for
// the brightest row. No more than 64 MB of rows are in memory at a time.
//
//     bands ROWS WIDTH OUTPUT.tif
#include <tilewright/bands.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <vector>

namespace tw = tilewright;

namespace {

// Gives rows as they are asked for. A real one would wait for its camera here.
class LineCamera final : public tw::RowSource {
public:
    LineCamera(int64_t h, int64_t w) : h_(h), w_(w) {}

    tw::Type type() const override {
        return tw::Type::u8;
    }
    std::vector<int64_t> shape() const override {
        return {h_, w_};
    }
    void read(tw::Array &rows) override {
        auto *pixels = rows.as<uint8_t>();
        for (int64_t y = 0; y < rows.shape()[0]; y++, row_++) {
            for (int64_t x = 0; x < w_; x++) {
                const bool is_bright = row_ >= h_ / 3 && row_ < h_ / 3 + 9;
                pixels[y * rows.strides()[0] + x] = is_bright ? 250 : (uint8_t)((x * 31 + row_ * 17) % 64);
            }
        }
    }

private:
    const int64_t h_, w_;
    int64_t row_ = 0;
};

// Hands the rows on to a file, and remembers the brightest one.
class Brightest final : public tw::RowSink {
public:
    explicit Brightest(std::unique_ptr<tw::RowSink> file) : file_(std::move(file)) {}

    void begin(tw::Type type, const std::vector<int64_t> &shape) override {
        file_->begin(type, shape);
    }
    void write(const tw::Array &rows) override {
        const auto *pixels = rows.as<uint8_t>();
        for (int64_t y = 0; y < rows.shape()[0]; y++, row_++) {
            int64_t sum = 0;
            for (int64_t x = 0; x < rows.shape()[1]; x++) {
                sum += pixels[y * rows.strides()[0] + x];
            }
            if (sum > most_) {
                most_ = sum;
                row = row_;
            }
        }
        file_->write(rows);
    }
    void finish() override {
        file_->finish();
    }

    int64_t row = -1;

private:
    std::unique_ptr<tw::RowSink> file_;
    int64_t row_ = 0, most_ = -1;
};

}  // namespace

int main(int argc, char **argv) try {
    if (argc != 4) {
        std::fprintf(stderr, "usage: bands ROWS WIDTH OUTPUT.tif\n");
        return 2;
    }
    LineCamera camera(std::atoll(argv[1]), std::atoll(argv[2]));
    Brightest sink(tw::rows_to_file(argv[3], tw::FileKind::tiff));
    const tw::BandsDone done =
        tw::process(camera, sink, tw::Pipeline("gaussian_blur sigma=3"), {.memory = 64 << 20});
    std::printf("%lld bands of %lld rows; the brightest row is %lld\n", (long long)done.bands,
        (long long)done.rows, (long long)sink.row);
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "bands: %s\n", error.what());
    return 1;
}
