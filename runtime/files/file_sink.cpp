// A file that gets its rows as they come.
#include "runtime/files/rows_in_order.h"
#include "runtime/files/writers.h"
#include "tilewright/bands.h"
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilewright {

namespace {

class FileSink final : public RowSink {
public:
    FileSink(std::string path, FileKind kind, WriteOptions options)
        : path_(std::move(path)), kind_(kind), options_(std::move(options)) {}

    void begin(Type type, const std::vector<int64_t> &shape) override {
        writer_ = create_file(kind_, path_, type, shape, options_);
        rows_.emplace(type, shape);
    }
    void write(const Array &rows) override {
        begun().take(rows);
        writer_->write(rows);
    }
    void finish() override {
        if (const int64_t left = begun().left()) {
            refuse(fmt::format("{} rows are missing; write them first", left));
        }
        writer_->finish();
    }

private:
    [[noreturn]] void refuse(const std::string &why) const {
        throw Error(Fault::usage, why, {.operation = "rows_to_file", .argument = "path", .value = path_});
    }
    RowsInOrder &begun() {
        if (!rows_) {
            refuse("begin() was not called, which says the type and the shape of the rows");
        }
        return *rows_;
    }

    const std::string path_;
    const FileKind kind_;
    const WriteOptions options_;
    std::unique_ptr<RowWriter> writer_;
    std::optional<RowsInOrder> rows_;
};

}  // namespace

std::unique_ptr<RowSink> rows_to_file(
    std::string path, FileKind kind, PngMetadata metadata, std::optional<int> compression) {
    return std::make_unique<FileSink>(std::move(path), kind, WriteOptions{std::move(metadata), compression});
}

}  // namespace tilewright
