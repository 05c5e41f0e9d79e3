// The writer of TIFF files. Source: TIFF 6.0 (Adobe, 1992); libtiff encodes.
#include "runtime/files/file_errors.h"
#include "runtime/files/output/output_file.h"
#include "runtime/files/png/png_chunks.h"
#include "runtime/files/tiff/libtiff.h"
#include "runtime/files/writers.h"
#include "tilewright/error.h"
#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

namespace tilewright {

namespace {

// A file in memory: libtiff goes back in what it writes, and a pipe cannot.
struct MemoryFile {
    std::string bytes;
    size_t position = 0;
    bool is_out_of_memory = false;
};

tmsize_t write_bytes(thandle_t handle, void *from, tmsize_t count) {
    auto &file = *static_cast<MemoryFile *>(handle);
    const auto size = static_cast<size_t>(count);
    try {
        if (file.bytes.size() < file.position + size) {
            file.bytes.resize(file.position + size);
        }
    } catch (const std::bad_alloc &) {  // must not pass through libtiff's functions
        file.is_out_of_memory = true;
        return -1;
    }
    std::memcpy(file.bytes.data() + file.position, from, size);
    file.position += size;
    return count;
}

tmsize_t read_bytes(thandle_t handle, void *to, tmsize_t count) {
    auto &file = *static_cast<MemoryFile *>(handle);
    const size_t size =
        std::min(static_cast<size_t>(count), file.bytes.size() - std::min(file.position, file.bytes.size()));
    std::memcpy(to, file.bytes.data() + file.position, size);
    file.position += size;
    return static_cast<tmsize_t>(size);
}

toff_t seek(thandle_t handle, toff_t offset, int whence) {
    auto &file = *static_cast<MemoryFile *>(handle);
    file.position = offset + (whence == SEEK_SET    ? 0 :
                                 whence == SEEK_CUR ? file.position :
                                                      file.bytes.size());
    return file.position;
}

toff_t size_of_file(thandle_t handle) {
    return static_cast<MemoryFile *>(handle)->bytes.size();
}

void set_metadata(TIFF *tiff, const PngMetadata &metadata, int channels) {
    if (metadata.density) {
        const auto [x, y, per_metre] = *metadata.density;
        const double unit = per_metre ? 100 : 1;
        TIFFSetField(tiff, TIFFTAG_XRESOLUTION, x / unit);
        TIFFSetField(tiff, TIFFTAG_YRESOLUTION, y / unit);
        TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, per_metre ? RESUNIT_CENTIMETER : RESUNIT_NONE);
    }
    if (metadata.icc_profile && profile_fits(*metadata.icc_profile, channels)) {
        TIFFSetField(tiff, TIFFTAG_ICCPROFILE, static_cast<uint32_t>(metadata.icc_profile->bytes.size()),
            metadata.icc_profile->bytes.data());
    }
}

// False when libtiff reported an error.
bool encode(TIFF *tiff, const Array &image, const PngMetadata &metadata) {
    const int channels = channels_of(image);
    const auto element = static_cast<int64_t>(size_of(image.type()));
    const auto h = static_cast<uint32_t>(image.shape()[0]), w = static_cast<uint32_t>(image.shape()[1]);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, w);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, h);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * element));
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, channels);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, channels <= 2 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_LZW);  // what every reader of TIFF knows
    if (image.type() == Type::f32) {  // without the predictor of floats, which many readers do not know
        TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
    } else {
        TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
    }
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, TIFFDefaultStripSize(tiff, 0));
    if (channels % 2 == 0) {
        const uint16_t alpha = EXTRASAMPLE_UNASSALPHA;
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &alpha);
    }
    set_metadata(tiff, metadata, channels);
    // The predictor works on the row in place, so libtiff gets a copy.
    std::vector<uint8_t> row(static_cast<size_t>(row_bytes_of(image)));
    const auto *pixels = static_cast<const uint8_t *>(image.data());
    for (uint32_t y = 0; y < h; y++) {
        std::memcpy(row.data(), pixels + y * image.strides()[0] * element, row.size());
        if (TIFFWriteScanline(tiff, row.data(), y, 0) != 1) {
            return false;
        }
    }
    return TIFFFlush(tiff) == 1;
}

}  // namespace

void check_tiff(Type type, const std::vector<int64_t> &shape) {
    const auto refuse = [&](const char *why) {
        refuse_array(why, "write .npy instead", "write_tiff", type, shape);
    };
    if (type != Type::u8 && type != Type::u16 && type != Type::f32) {
        refuse("TIFF is written of u8, u16 and f32");
    }
    if (type == Type::f32 && shape.size() == 3 && shape[2] != 1 && shape[2] != 3) {
        refuse("TIFF of f32 is written of 1 or 3 channels");
    }
    const bool is_image = shape.size() == 2 || (shape.size() == 3 && shape[2] >= 1 && shape[2] <= 4);
    if (!is_image) {
        refuse("TIFF is written of images (h, w) and (h, w, c) of 1 to 4 channels");
    }
    const auto [least, most] = std::minmax(shape[0], shape[1]);
    if (least < 1 || most > std::numeric_limits<int32_t>::max()) {
        refuse("TIFF is written of 1 to 2^31 - 1 pixels per side");
    }
}

void write_tiff(const std::string &path, const Array &image, const PngMetadata &metadata) {
    check_tiff(image.type(), image.shape());
    OutputFile file(path);
    MemoryFile memory;
    libtiff::Messages messages;
    const int64_t bytes = image.size() * static_cast<int64_t>(size_of(image.type()));
    // BigTIFF: offsets in other files have 32 bits, and LZW makes noise larger, by less than a half.
    const bool is_big = bytes > int64_t(2) << 30;
    libtiff::Handle tiff = libtiff::open(is_big ? "w8" : "w", &memory,
        {read_bytes, write_bytes, seek, size_of_file}, std::numeric_limits<int64_t>::max(), messages);
    const bool is_encoded = tiff && encode(tiff.get(), image, metadata);
    tiff.reset();
    if (memory.is_out_of_memory || messages.is_out_of_memory()) {
        throw_no_memory("write", path);
    }
    if (!is_encoded || messages.error[0] != 0) {
        throw Error(Fault::failed,
            "cannot write " + in_quotes(path) + ": " + messages.text() + "; write a PNG instead");
    }
    if (!file.write(memory.bytes.data(), memory.bytes.size())) {
        file.fail();
    }
    file.commit();
}

}  // namespace tilewright
