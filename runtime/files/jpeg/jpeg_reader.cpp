// The reader of JPEG files. Source: ISO/IEC 10918-1; libjpeg-turbo decodes.
#include "generators/algorithms/integers.h"
#include "runtime/files/attempt.h"
#include "runtime/files/file_errors.h"
#include "runtime/files/jpeg/libjpeg.h"
#include "runtime/files/pictures/orientation.h"
#include "runtime/files/pictures/picture_limits.h"
#include "runtime/files/readers.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <jerror.h>
#include <memory>

namespace tilewright {

namespace {

// Cameras and programs write at most some ten scans. Each scan costs the time of a whole picture, and takes
// few bytes in a file that is made for that. So a large picture may have fewer than a small one.
int most_scans(const jpeg_decompress_struct &jpeg) {
    constexpr int64_t most_pixels = int64_t(1) << 30, few = 32, many = 500;
    const int64_t pixels = int64_t{jpeg.image_width} * jpeg.image_height;
    return static_cast<int>(std::clamp(most_pixels / std::max<int64_t>(pixels, 1), few, many));
}

// What libjpeg keeps of a file that comes in several scans: a number of 16 bits for each coefficient of its
// blocks.
double coefficient_bytes(jpeg_decompress_struct &jpeg) {
    int64_t blocks = 0;
    for (int c = 0; c < jpeg.num_components; c++) {
        const jpeg_component_info &of = jpeg.comp_info[c];
        blocks += int64_t{round_up(of.width_in_blocks, static_cast<JDIMENSION>(of.h_samp_factor))} *
                  round_up(of.height_in_blocks, static_cast<JDIMENSION>(of.v_samp_factor));
    }
    return jpeg_has_multiple_scans(&jpeg) != FALSE ? static_cast<double>(blocks) * DCTSIZE2 * sizeof(JCOEF) :
                                                     0;
}

constexpr int exif_marker = JPEG_APP0 + 1, profile_marker = JPEG_APP0 + 2;

// libjpeg's state while a file is read.
class JpegDecompressor {
public:
    JpegDecompressor(InputFile &file, const PngLimits &limits)
        : file_(file),
          metadata_bytes_left_(std::max<int64_t>(limits.profile_bytes, 0) + more_metadata_bytes) {
        on_message_ = errors_.manager.emit_message;
        errors_.manager.emit_message = [](j_common_ptr decoder, int level) {
            of(reinterpret_cast<j_decompress_ptr>(decoder)).take(level);
        };
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
    ~JpegDecompressor() {
        jpeg_destroy_decompress(&jpeg);
    }
    JpegDecompressor(const JpegDecompressor &) = delete;
    JpegDecompressor &operator=(const JpegDecompressor &) = delete;

    // Runs libjpeg calls, as attempt() does. Errors: input; memory.
    template<typename Step>
    void operator()(const Step &step) {
        const bool succeeded = attempt(errors_.jump, step);
        if (errors_.is_out_of_memory) {
            throw_no_memory("read", file_.path());
        }
        if (succeeded) {
            return;
        }
        if (is_truncated_) {
            file_.refuse_truncated();
        }
        if (has_many_scans_) {
            file_.refuse(
                fmt::format("it has more than {} scans, each of which takes the time of a whole picture",
                    most_scans(jpeg)),
                "write it again, with fewer");
        }
        if (metadata_bytes_left_ < 0) {
            file_.refuse("it has too many bytes of metadata to keep in memory",
                "remove them, or raise PngLimits::profile_bytes if the file is to be trusted");
        }
        file_.refuse("it is a broken JPEG: " + errors_.text(), "get a whole copy of it, or write it again");
    }

    jpeg_decompress_struct jpeg = {};

private:
    static JpegDecompressor &of(j_decompress_ptr decoder) {
        return *static_cast<JpegDecompressor *>(decoder->client_data);
    }

    // libjpeg calls what follows, and so inside attempt().
    [[noreturn]] void stop() {
        std::longjmp(errors_.jump, 1);
    }

    boolean fill() {
        const size_t count = file_.read(buffer_, sizeof(buffer_));
        if (count == 0) {
            is_truncated_ = true;
            stop();
        }
        source_.next_input_byte = buffer_;
        source_.bytes_in_buffer = count;
        return TRUE;
    }

    void skip(long bytes) {
        while (bytes > 0 && static_cast<size_t>(bytes) > source_.bytes_in_buffer) {
            bytes -= static_cast<long>(source_.bytes_in_buffer);
            fill();
        }
        if (bytes > 0) {
            source_.next_input_byte += bytes;
            source_.bytes_in_buffer -= static_cast<size_t>(bytes);
        }
    }

    void check_scans() {
        if (jpeg.input_scan_number > most_scans(jpeg)) {
            has_many_scans_ = true;
            stop();
        }
    }

    // A message of libjpeg, which has one for each block of metadata. It keeps those of the two kinds that
    // are asked for, and searches the end of the list of them for each.
    void take(int level) {
        const int number = errors_.manager.msg_parm.i[0], bytes = errors_.manager.msg_parm.i[1];
        if (errors_.manager.msg_code == JTRC_MISC_MARKER &&
            (number == exif_marker || number == profile_marker)) {
            metadata_bytes_left_ -= bytes + least_block_bytes;
            if (metadata_bytes_left_ < 0) {
                stop();
            }
        }
        on_message_(reinterpret_cast<j_common_ptr>(&jpeg), level);
    }

    // Of EXIF data besides the profile; what a block counts for at least, which bounds the searches.
    static constexpr int64_t more_metadata_bytes = int64_t(16) << 20, least_block_bytes = 4096;

    InputFile &file_;
    libjpeg::Errors errors_;
    void (*on_message_)(j_common_ptr, int) = nullptr;
    int64_t metadata_bytes_left_;
    jpeg_progress_mgr progress_ = {};
    jpeg_source_mgr source_ = {};
    JOCTET buffer_[1 << 16];
    bool is_truncated_ = false, has_many_scans_ = false;
};

// What the file says besides its pixels. The resolution of JFIF is per inch or per centimetre.
PngMetadata metadata_of(JpegDecompressor &reader, const InputFile &file, const PngLimits &limits) {
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

class JpegRows final : public RowReader {
public:
    JpegRows(InputFile &file, const PngLimits &limits) : reader_(file, limits) {
        jpeg_decompress_struct &jpeg = reader_.jpeg;
        reader_([&] {
            jpeg_save_markers(&jpeg, exif_marker, 0xffff);
            jpeg_save_markers(&jpeg, profile_marker, 0xffff);
            jpeg_read_header(&jpeg, TRUE);
            decoding_bytes = coefficient_bytes(jpeg);
        });
        is_grey_ = jpeg.jpeg_color_space == JCS_GRAYSCALE;
        if (!is_grey_ && jpeg.jpeg_color_space != JCS_YCbCr && jpeg.jpeg_color_space != JCS_RGB) {
            file.refuse("its colours are those of printing (CMYK)", "convert it to RGB first");
        }
        shape = shape_of(jpeg.image_height, jpeg.image_width, is_grey_ ? 1 : 3);
        orientation = orientation_of(jpeg);
        check_picture_size(jpeg.image_width, jpeg.image_height, file, limits);
        metadata = metadata_of(reader_, file, limits);
    }

    void read(Array &rows) override {
        auto *row = static_cast<uint8_t *>(rows.data());
        const int64_t row_bytes = rows.strides()[0], n = rows.shape()[0];
        reader_([&] {
            jpeg_decompress_struct &jpeg = reader_.jpeg;
            if (!is_started_) {
                jpeg.out_color_space = is_grey_ ? JCS_GRAYSCALE : JCS_RGB;
                jpeg_start_decompress(&jpeg);
                is_started_ = true;
            }
            for (int64_t y = 0; y < n; y++) {
                JSAMPROW to = row + y * row_bytes;
                jpeg_read_scanlines(&jpeg, &to, 1);
            }
            if (jpeg.output_scanline == jpeg.output_height) {
                jpeg_finish_decompress(&jpeg);
            }
        });
    }

private:
    JpegDecompressor reader_;
    bool is_grey_ = false, is_started_ = false;
};

}  // namespace

std::unique_ptr<RowReader> open_jpeg(InputFile &file, const PngLimits &limits) {
    return std::make_unique<JpegRows>(file, limits);
}

}  // namespace tilewright
