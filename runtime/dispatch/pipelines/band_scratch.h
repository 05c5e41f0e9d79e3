#pragma once
// The file in which the bands of a transposed image wait for its rows. Not installed.
#include "tilewright/bands.h"
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace tilewright {

// Takes bands of columns, one after another, and gives the rows that they are together. A band is kept as it
// comes, so that bands are written, and their parts are read, in long pieces. The file has no name, and so it
// vanishes with the process.
class BandScratch final : public RowSource, public RowSink {
public:
    // `folder` empty: that of temporary files. Errors: failed.
    explicit BandScratch(const std::string &folder);

    void begin(Type type, const std::vector<int64_t> &shape) override;
    void write(const Array &columns) override;
    void finish() override;

    Type type() const override {
        return type_;
    }
    std::vector<int64_t> shape() const override {
        return shape_;
    }
    void read(Array &rows) override;

    // Gives all rows to a sink. `memory`: bytes for those that are held at a time.
    void copy_to(RowSink &sink, int64_t memory);

private:
    struct Close {
        void operator()(std::FILE *file) const {
            std::fclose(file);
        }
    };
    [[noreturn]] void fail() const;

    std::string folder_;
    std::unique_ptr<std::FILE, Close> file_;
    Type type_ = Type::u8;
    std::vector<int64_t> shape_;
    int64_t pixel_ = 1;             // bytes of one
    std::vector<int64_t> columns_;  // of each band
    int64_t row_ = 0;               // the next one to read
};

}  // namespace tilewright
