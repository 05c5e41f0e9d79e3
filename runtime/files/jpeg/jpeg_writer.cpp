// The writer of JPEG files. Source: ISO/IEC 10918-1; libjpeg-turbo encodes.
#include "runtime/files/attempt.h"
#include "runtime/files/file_errors.h"
#include "runtime/files/jpeg/libjpeg.h"
#include "runtime/files/output/output_file.h"
#include "runtime/files/png/png_chunks.h"
#include "runtime/files/writers.h"
#include "tilewright/error.h"
#include <algorithm>
#include <cmath>
#include <memory>

namespace tilewright {

namespace {

constexpr int quality = 95;  // with all samples of the colours kept: hardly a difference is seen

// libjpeg's state while a file is written.
class JpegCompressor {
public:
    JpegCompressor(OutputFile &file, const std::string &name) : file_(file), name_(name) {
        jpeg.err = &errors_.manager;
        jpeg.client_data = this;
        (*this)([&] { jpeg_create_compress(&jpeg); });
        target_.init_destination = [](j_compress_ptr encoder) { of(encoder).begin(); };
        target_.empty_output_buffer = [](j_compress_ptr encoder) {
            of(encoder).put(sizeof(buffer_));
            return TRUE;
        };
        target_.term_destination = [](j_compress_ptr encoder) {
            of(encoder).put(sizeof(buffer_) - of(encoder).target_.free_in_buffer);
        };
        jpeg.dest = &target_;
    }
    ~JpegCompressor() {
        jpeg_destroy_compress(&jpeg);
    }
    JpegCompressor(const JpegCompressor &) = delete;
    JpegCompressor &operator=(const JpegCompressor &) = delete;

    // Runs libjpeg calls, as attempt() does. Errors: failed; memory.
    template<typename Step>
    void operator()(const Step &step) {
        const bool succeeded = attempt(errors_.jump, step);
        if (is_disk_error_) {
            file_.fail();
        }
        if (errors_.is_out_of_memory) {
            throw_no_memory("write", name_);
        }
        if (!succeeded) {
            throw Error(Fault::failed,
                "cannot write " + in_quotes(name_) + ": " + errors_.text() + "; write a PNG instead");
        }
    }

    jpeg_compress_struct jpeg = {};

private:
    static JpegCompressor &of(j_compress_ptr encoder) {
        return *static_cast<JpegCompressor *>(encoder->client_data);
    }
    void begin() {
        target_.next_output_byte = buffer_;
        target_.free_in_buffer = sizeof(buffer_);
    }
    void put(size_t bytes) {
        is_disk_error_ = is_disk_error_ || !file_.write(buffer_, bytes);
        begin();
    }

    OutputFile &file_;
    const std::string &name_;
    libjpeg::Errors errors_;
    jpeg_destination_mgr target_ = {};
    JOCTET buffer_[1 << 16];
    bool is_disk_error_ = false;
};

// A resolution in JFIF's 16 bits: per centimetre, because PNG's is per metre.
void set_density(jpeg_compress_struct &jpeg, const PngMetadata::Density &density) {
    const double unit = density.per_metre ? 100 : 1;
    const double x = std::round(density.x / unit), y = std::round(density.y / unit);
    if (x >= 1 && x <= 65535 && y >= 1 && y <= 65535) {
        jpeg.density_unit = density.per_metre ? 2 : 0;
        jpeg.X_density = static_cast<UINT16>(x);
        jpeg.Y_density = static_cast<UINT16>(y);
    }
}

}  // namespace

void check_jpeg(Type type, const std::vector<int64_t> &shape) {
    const bool is_grey = shape.size() == 2, is_colour = shape.size() == 3 && shape[2] == 3;
    if (type != Type::u8 || (!is_grey && !is_colour)) {
        refuse_array("JPEG holds u8 images (h, w) and (h, w, 3)",
            "write .png, which holds u16 and alpha too, or .npy", "write_jpeg", type, shape);
    }
    const auto [least, most] = std::minmax(shape[0], shape[1]);
    if (least < 1 || most > JPEG_MAX_DIMENSION) {
        refuse_array(
            "JPEG holds 1 to 65500 pixels per side", "write .png or .npy instead", "write_jpeg", type, shape);
    }
}

namespace {

class JpegWriter final : public RowWriter {
public:
    JpegWriter(const std::string &path, const std::vector<int64_t> &shape, const PngMetadata &metadata)
        : path_(path), file_(path), writer_(file_, path_) {
        jpeg_compress_struct &jpeg = writer_.jpeg;
        const int channels = channels_of(shape);
        writer_([&] {
            jpeg.image_width = static_cast<JDIMENSION>(shape[1]);
            jpeg.image_height = static_cast<JDIMENSION>(shape[0]);
            jpeg.input_components = channels;
            jpeg.in_color_space = channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
            jpeg_set_defaults(&jpeg);
            jpeg_set_quality(&jpeg, quality, TRUE);
            jpeg.comp_info[0].h_samp_factor = jpeg.comp_info[0].v_samp_factor = 1;
            if (metadata.density) {
                set_density(jpeg, *metadata.density);
            }
            jpeg_start_compress(&jpeg, TRUE);
            if (metadata.icc_profile && profile_fits(*metadata.icc_profile, channels)) {
                jpeg_write_icc_profile(&jpeg, metadata.icc_profile->bytes.data(),
                    static_cast<unsigned>(metadata.icc_profile->bytes.size()));
            }
        });
    }

    void write(const Array &rows) override {
        const auto *pixels = static_cast<const uint8_t *>(rows.data());
        const int64_t row_bytes = rows.strides()[0], n = rows.shape()[0];
        writer_([&] {
            for (int64_t y = 0; y < n; y++) {
                JSAMPROW row = const_cast<JSAMPROW>(pixels + y * row_bytes);
                jpeg_write_scanlines(&writer_.jpeg, &row, 1);
            }
        });
    }

    void finish() override {
        writer_([&] { jpeg_finish_compress(&writer_.jpeg); });
        file_.commit();
    }

private:
    const std::string path_;
    OutputFile file_;
    JpegCompressor writer_;
};

}  // namespace

std::unique_ptr<RowWriter> create_jpeg(
    const std::string &path, Type type, const std::vector<int64_t> &shape, const WriteOptions &options) {
    check_jpeg(type, shape);
    return std::make_unique<JpegWriter>(path, shape, options.metadata);
}

}  // namespace tilewright
