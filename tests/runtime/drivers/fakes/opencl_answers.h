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
    const std::string bytes = "cl_khr_byte_addressable_store", fp64 = bytes + " cl_khr_fp64",
                      halves_and_dots = fp64 + " cl_khr_fp16 cl_khr_integer_dot_product",
                      capability = fp64 + " cl_nv_device_attribute_query",
                      nvidia = capability + " cl_khr_pci_bus_info";
    const std::string &extensions = p == 3                   ? halves_and_dots :
                                    p == fake_opencl::nvidia ? nvidia :
                                    p == old_nvidia          ? capability :
                                    p == small               ? bytes :
                                                               fp64;
    const unsigned pci_address[] = {0, 0x1b, 1, 0};  // domain, bus, device and function
    switch (what) {
    case 0x1000: return answer_number<uint64_t>(p == 3 ? 4 : 2, room, to, needed);           // type
    case 0x1002: return answer_number<unsigned>(8 + (unsigned)p, room, to, needed);          // compute units
    case 0x101F: return answer_number<uint64_t>((uint64_t)(p + 1) << 30, room, to, needed);  // memory
    case 0x1020: return answer_number<uint64_t>(65536, room, to, needed);   // constant memory
    case 0x1021: return answer_number<unsigned>(8, room, to, needed);       // constant arguments
    case 0x1027: return answer_number<unsigned>(1, room, to, needed);       // available
    case 0x1028: return answer_number<unsigned>(p != 1, room, to, needed);  // its compiler
    case 0x102B: return answer("Fake device " + std::to_string(p), room, to, needed);
    case 0x102D:  // driver
        return answer((p == fake_opencl::nvidia ? "525.7." : "7.") + std::to_string(p), room, to, needed);
    case 0x102F: return answer(p == 2 ? "OpenCL 1.0 fake" : "OpenCL 1.2 fake", room, to, needed);
    case 0x103D: return answer(p == 2 ? "OpenCL C 1.0 fake" : "OpenCL C 1.2 fake", room, to, needed);
    case 0x1004: return answer_number<size_t>(p == small ? 128 : 1024, room, to, needed);      // work-group
    case 0x1016: return answer_number<unsigned>(p != small, room, to, needed);                 // images
    case 0x1023: return answer_number<uint64_t>(p == small ? 8192 : 49152, room, to, needed);  // local memory
    case 0x1030: return answer(p == 2 ? "" : extensions, room, to, needed);
    case 0x4000: return answer_number<unsigned>(8, room, to, needed);  // compute capability, major
    case 0x4001: return answer_number<unsigned>(6, room, to, needed);  // and minor
    case 0x410F: return answer(pci_address, sizeof pci_address, room, to, needed);
    }
    return invalid_value;
}

}  // namespace fake_opencl
