/* A function for CUDA where there is no driver: it returns its code, and says why, and the program goes on.
 * It is called as C programs call it, without the runtime. */
#include "negative_gpu_tuned_any_u8_cuda.h"
#include <HalideRuntime.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    uint8_t pixels[2][4 * 4] = {{0}};
    halide_dimension_t dims[2] = {{.extent = 4, .stride = 1}, {.extent = 4, .stride = 4}};
    struct halide_buffer_t buffers[2];
    memset(buffers, 0, sizeof buffers);
    for (int i = 0; i < 2; i++) {
        buffers[i].host = pixels[i];
        buffers[i].type.code = halide_type_uint;
        buffers[i].type.bits = 8;
        buffers[i].type.lanes = 1;
        buffers[i].dimensions = 2;
        buffers[i].dim = dims;
    }
    printf("code %d\n", negative_gpu_tuned_any_u8_cuda(&buffers[0], &buffers[1]));
    return 0;
}
