/* Inverts a small image by two libraries, and says whether they agree. */
#include "negative_again_reference_u8_cpu.h"
#include "negative_tuned_u8_cpu.h"
#include <HalideRuntime.h>
#include <stdio.h>
#include <string.h>

enum { width = 37, height = 5 };

/* Describes width x height bytes, row after row. */
static struct halide_buffer_t image_of(uint8_t *pixels, halide_dimension_t dims[2]) {
    const halide_dimension_t x = {.min = 0, .extent = width, .stride = 1},
                             y = {.min = 0, .extent = height, .stride = width};
    dims[0] = x;
    dims[1] = y;
    struct halide_buffer_t buffer;
    memset(&buffer, 0, sizeof buffer);
    buffer.host = pixels;
    buffer.type.code = halide_type_uint;
    buffer.type.bits = 8;
    buffer.type.lanes = 1;
    buffer.dimensions = 2;
    buffer.dim = dims;
    return buffer;
}

int main(void) {
    uint8_t pixels[height][width], negative[height][width], again[height][width];
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            pixels[y][x] = (uint8_t)(7 * x + 31 * y);
        }
    }
    halide_dimension_t dims[3][2];
    struct halide_buffer_t in = image_of(&pixels[0][0], dims[0]), out = image_of(&negative[0][0], dims[1]),
                           other = image_of(&again[0][0], dims[2]);
    const int error = negative_tuned_u8_cpu(&in, &out),
              other_error = negative_again_reference_u8_cpu(&in, &other);
    if (error || other_error) {
        fprintf(stderr, "plain: Halide errors %d and %d\n", error, other_error);
        return 1;
    }
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            if (negative[y][x] != 255 - pixels[y][x] || again[y][x] != negative[y][x]) {
                fprintf(stderr, "plain: wrong at (%d, %d)\n", x, y);
                return 1;
            }
        }
    }
    printf("both libraries inverted %d x %d pixels\n", width, height);
    return 0;
}
