#pragma once
// What the fake libOpenCL.so.1 says of its devices.
#include "tests/runtime/drivers/fakes/opencl_record.h"
#include <cstdint>
#include <cstring>
#include <string>

namespace fake_opencl {

constexpr int ok = 0, invalid_value = -30;

inline int answer(const void *from, size_t bytes, size_t room, void *to, size_t *needed) {
    if (needed) {
        *needed = bytes;
    }
    if (to) {
        if (room < bytes) {
            return invalid_value;
        }
        memcpy(to, from, bytes);
    }
    return ok;
}

inline int answer(const std::string &text, size_t room, void *to, size_t *needed) {
    return answer(text.c_str(), text.size() + 1, room, to, needed);
}

template<typename T>
int answer_number(T number, size_t room, void *to, size_t *needed) {
    return answer((const void *)&number, sizeof number, room, to, needed);
}

// clGetDeviceInfo of the device on platform p.
inline int device_answer(int p, unsigned what, size_t room, void *to, size_t *needed) {
    const std::string bytes = "cl_khr_byte_addressable_store", fp64 = bytes + " cl_khr_fp64";
    const std::string extensions[] = {"", bytes, fp64, fp64 + " cl_khr_fp16"};
    switch (what) {
    case 0x1000: return answer_number<uint64_t>(p == 3 ? 4 : 2, room, to, needed);           // type
    case 0x1002: return answer_number<unsigned>(8 + (unsigned)p, room, to, needed);          // compute units
    case 0x101F: return answer_number<uint64_t>((uint64_t)(p + 1) << 30, room, to, needed);  // memory
    case 0x1020: return answer_number<uint64_t>(65536, room, to, needed);   // constant memory
    case 0x1021: return answer_number<unsigned>(8, room, to, needed);       // constant arguments
    case 0x1027: return answer_number<unsigned>(1, room, to, needed);       // available
    case 0x1028: return answer_number<unsigned>(p != 1, room, to, needed);  // its compiler
    case 0x102B: return answer("Fake device " + std::to_string(p), room, to, needed);
    case 0x102D: return answer("7." + std::to_string(p), room, to, needed);  // driver
    case 0x102F: return answer(p == 2 ? "OpenCL 1.0 fake" : "OpenCL 1.2 fake", room, to, needed);
    case 0x103D: return answer(p == 2 ? "OpenCL C 1.0 fake" : "OpenCL C 1.2 fake", room, to, needed);
    case 0x1004: return answer_number<size_t>(p == small ? 128 : 1024, room, to, needed);      // work-group
    case 0x1016: return answer_number<unsigned>(p != small, room, to, needed);                 // images
    case 0x1023: return answer_number<uint64_t>(p == small ? 8192 : 49152, room, to, needed);  // local memory
    case 0x1030: return answer(extensions[p == 2 ? 0 : p == small ? 1 : p == 3 ? 3 : 2], room, to, needed);
    }
    return invalid_value;
}

}  // namespace fake_opencl
