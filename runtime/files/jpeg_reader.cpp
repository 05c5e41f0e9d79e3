// The reader of JPEG files. Source: ISO/IEC 10918-1; libjpeg-turbo decodes.
#include "runtime/files/file_errors.h"
#include "runtime/files/libjpeg.h"
#include "runtime/files/orientation.h"
#include "runtime/files/picture_limits.h"
#include "runtime/files/readers.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace tilewright {

namespace {

// Cameras and programs write at most some ten scans. Each scan costs the time of a whole picture, and takes
// few bytes in a file that is made for that.
constexpr int most_scans = 500;

constexpr int exif_marker = JPEG_APP0 + 1, profile_marker = JPEG_APP0 + 2;

// libjpeg's state while a file is read.
class Reader {
public:
    explicit Reader(InputFile &file) : file_(file) {
        jpeg.err = &errors_.manager;
        jpeg.client_data = this;
        (*this)([&] { jpeg_create_decompress(&jpeg); });
        source_.init_source = [](j_decompress_ptr) {};
        source_.term_source = [](j_decompress_ptr) {};
        source_.resync_to_restart = jpeg_resync_to_restart;
        source_.fill_input_buffer = [](j_decompress_ptr decoder) { return of(decoder).fill(); };
        source_.skip_input_data = [](j_decompress_ptr decoder, long bytes) { of(decoder).skip(bytes); };
        jpeg.src = &source_;
        progress_.progress_monitor = [](j_common_ptr decoder) {
            of(reinterpret_cast<j_decompress_ptr>(decoder)).check_scans();
        };
        jpeg.progress = &progress_;
    }
    ~Reader() {
        jpeg_destroy_decompress(&jpeg);
    }
    Reader(const Reader &) = delete;
    Reader &operator=(const Reader &) = delete;

    // Runs libjpeg calls, as attempt() does. Errors: input; memory.
    template<typename Step>
    void operator()(const Step &step) {
        const bool succeeded = libjpeg::attempt(errors_, step);
        if (errors_.is_out_of_memory) {
            throw_no_memory("read", file_.path());
        }
        if (is_truncated_) {
            file_.refuse_truncated();
        }
        if (!succeeded || errors_.is_damaged) {
            file_.refuse(
                "it is a broken JPEG: " + errors_.text(), "get a whole copy of it, or write it again");
        }
    }

    jpeg_decompress_struct jpeg = {};

private:
    static Reader &of(j_decompress_ptr decoder) {
        return *static_cast<Reader *>(decoder->client_data);
    }

    // At the file's end, libjpeg gets the marker of an image's end, and so stops.
    boolean fill() {
        size_t count = file_.read(buffer_, sizeof(buffer_));
        if (count == 0) {
            is_truncated_ = true;
            buffer_[0] = 0xff;
            buffer_[1] = JPEG_EOI;
            count = 2;
        }
        source_.next_input_byte = buffer_;
        source_.bytes_in_buffer = count;
        return TRUE;
    }

    void skip(long bytes) {
        while (bytes > 0 && static_cast<size_t>(bytes) > source_.bytes_in_buffer) {
            bytes -= static_cast<long>(source_.bytes_in_buffer);
            fill();
            if (is_truncated_) {
                return;
            }
        }
        if (bytes > 0) {
            source_.next_input_byte += bytes;
            source_.bytes_in_buffer -= static_cast<size_t>(bytes);
        }
    }

    // Called by libjpeg, and so inside attempt().
    void check_scans() {
        if (jpeg.input_scan_number > most_scans) {
            std::snprintf(errors_.message, sizeof(errors_.message), "it has more than %d scans", most_scans);
            errors_.is_damaged = true;
            std::longjmp(errors_.jump, 1);
        }
    }

    InputFile &file_;
    libjpeg::Errors errors_;
    jpeg_progress_mgr progress_ = {};
    jpeg_source_mgr source_ = {};
    JOCTET buffer_[1 << 16];
    bool is_truncated_ = false;
};

// What the file says besides its pixels. The resolution of JFIF is per inch or per centimetre.
PngMetadata metadata_of(Reader &reader, const InputFile &file, const PngLimits &limits) {
    PngMetadata metadata;
    const jpeg_decompress_struct &jpeg = reader.jpeg;
    if (jpeg.saw_JFIF_marker != 0 && jpeg.X_density > 0 && jpeg.Y_density > 0) {
        const double per_metre = jpeg.density_unit == 1 ? 1 / .0254 : jpeg.density_unit == 2 ? 100 : 1;
        metadata.density = {static_cast<uint32_t>(std::lround(jpeg.X_density * per_metre)),
            static_cast<uint32_t>(std::lround(jpeg.Y_density * per_metre)), jpeg.density_unit != 0};
    }
    JOCTET *bytes = nullptr;
    unsigned count = 0;
    reader([&] {
        if (jpeg_read_icc_profile(&reader.jpeg, &bytes, &count) == FALSE) {
            bytes = nullptr;
        }
    });
    const std::unique_ptr<JOCTET, decltype(&std::free)> owner(bytes, &std::free);
    if (bytes != nullptr && count > static_cast<uint64_t>(std::max<int64_t>(limits.profile_bytes, 0))) {
        refuse_profile(file, limits);
    }
    if (bytes != nullptr) {
        metadata.icc_profile = PngMetadata::Profile{"icc", {bytes, bytes + count}};
    }
    return metadata;
}

int orientation_of(const jpeg_decompress_struct &jpeg) {
    for (auto *marker = jpeg.marker_list; marker != nullptr; marker = marker->next) {
        if (marker->marker == exif_marker && marker->data_length >= 6 &&
            std::memcmp(marker->data, "Exif\0\0", 6) == 0) {
            return exif_orientation(marker->data, marker->data_length);
        }
    }
    return 1;
}

}  // namespace

Picture read_jpeg(InputFile &file, const PngLimits &limits) {
    const auto reader = std::make_unique<Reader>(file);
    jpeg_decompress_struct &jpeg = reader->jpeg;
    (*reader)([&] {
        jpeg_save_markers(&jpeg, exif_marker, 0xffff);
        jpeg_save_markers(&jpeg, profile_marker, 0xffff);
        jpeg_read_header(&jpeg, TRUE);
    });
    const bool is_grey = jpeg.jpeg_color_space == JCS_GRAYSCALE;
    if (!is_grey && jpeg.jpeg_color_space != JCS_YCbCr && jpeg.jpeg_color_space != JCS_RGB) {
        file.refuse("its colours are those of printing (CMYK)", "convert it to RGB first");
    }
    const int64_t w = jpeg.image_width, h = jpeg.image_height;
    check_picture_limits(w, h, is_grey ? 1 : 3, file, limits);

    Picture picture;
    picture.metadata = metadata_of(*reader, file, limits);
    picture.orientation = orientation_of(jpeg);
    picture.pixels =
        Array::uninitialized(Type::u8, is_grey ? std::vector<int64_t>{h, w} : std::vector<int64_t>{h, w, 3});
    auto *pixels = static_cast<uint8_t *>(picture.pixels.data());
    const int64_t row_bytes = picture.pixels.strides()[0];
    (*reader)([&] {
        jpeg.out_color_space = is_grey ? JCS_GRAYSCALE : JCS_RGB;
        jpeg_start_decompress(&jpeg);
        while (jpeg.output_scanline < jpeg.output_height) {
            JSAMPROW row = pixels + jpeg.output_scanline * row_bytes;
            jpeg_read_scanlines(&jpeg, &row, 1);
        }
        jpeg_finish_decompress(&jpeg);
    });
    return picture;
}

}  // namespace tilewright
