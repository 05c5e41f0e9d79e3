// In place of the reader and the writer of JPEG files, where libjpeg-turbo was not found when this was built.
#include "runtime/files/file_errors.h"
#include "runtime/files/readers.h"
#include "runtime/files/writers.h"

namespace tilewright {

std::unique_ptr<RowReader> open_jpeg(InputFile &file, const PngLimits &) {
    file.refuse("it is a JPEG, and this build has no libjpeg-turbo", "convert it to PNG first");
}

void check_jpeg(Type type, const std::vector<int64_t> &shape) {
    refuse_array("this build has no libjpeg-turbo and writes no JPEG", "write .png or .npy instead",
        "write_jpeg", type, shape);
}

std::unique_ptr<RowWriter> create_jpeg(
    const std::string &, Type type, const std::vector<int64_t> &shape, const WriteOptions &) {
    check_jpeg(type, shape);
    return nullptr;
}

}  // namespace tilewright
