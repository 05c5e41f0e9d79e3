// In place of the reader and the writer of TIFF files, where libtiff was not found when this was built.
#include "runtime/files/file_errors.h"
#include "runtime/files/readers.h"
#include "runtime/files/writers.h"

namespace tilewright {

std::unique_ptr<RowReader> open_tiff(InputFile &file, const PngLimits &) {
    file.refuse("it is a TIFF, and this build has no libtiff", "convert it to PNG first");
}

void check_tiff(Type type, const std::vector<int64_t> &shape) {
    refuse_array("this build has no libtiff and writes no TIFF", "write .png or .npy instead", "write_tiff",
        type, shape);
}

std::unique_ptr<RowWriter> create_tiff(
    const std::string &, Type type, const std::vector<int64_t> &shape, const WriteOptions &) {
    check_tiff(type, shape);
    return nullptr;
}

}  // namespace tilewright
