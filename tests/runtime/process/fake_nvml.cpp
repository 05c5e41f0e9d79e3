// A libnvidia-ml.so.1 that takes 16 MiB of the host when it starts, as NVIDIA's takes 15, and knows one GPU,
// on which no process has memory. long_life must not count that as memory that calls take.
#include <cstring>

extern "C" {

int nvmlInit_v2() {
    constexpr size_t bytes = 16 << 20;
    static char *taken = nullptr;
    taken = taken ? taken : new char[bytes];
    memset(taken, 1, bytes);
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **gpu) {
    static int only_gpu;
    *gpu = &only_gpu;
    return index == 0 ? 0 : 2;  // NVML_ERROR_INVALID_ARGUMENT
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *, unsigned *count, void *) {
    *count = 0;
    return 0;
}
}
