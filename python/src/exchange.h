#pragma once
// DLPack's C exchange API: functions in C by which a library of arrays (PyTorch from 2.10 on) gives their
// memory and its current stream. A call takes about 10 ns; the methods in Python take 1 to 2 us each.
#include "python/src/device_arrays.h"
#include <nanobind/nanobind.h>
#include <optional>
#include <utility>

namespace tilewright::python {

struct ExchangeTable;

// The functions for an array's type; null where its library offers none.
const ExchangeTable *exchange_of(nanobind::handle object);

// The kind of the array's device and its number, as __dlpack_device__() has them; nothing where the library
// does not give the array this way.
std::optional<std::pair<int, int>> place_of(const ExchangeTable &table, nanobind::handle object);

// The array as a capsule of DLPack 1, in order with no stream; invalid where the library does not give it
// this way, and its __dlpack__() says why.
nanobind::object capsule_of(const ExchangeTable &table, nanobind::handle object);

// The library's current stream on a CUDA device. Errors: those that the library raises.
void *stream_of(const ExchangeTable &table, int index);

}  // namespace tilewright::python
