// SPDX-License-Identifier: GPL-3.0-or-later
/// Unpacks any bytes as a histogram or a series. They are refused, or are equal after packing and unpacking again.
#include <cstdlib>
#include <span>

#include "host/store/packed.hpp"

using namespace mediarig::store;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span bytes(data, size);
    if (const auto histogram = unpack_histogram(bytes))
        if (unpack_histogram(pack(*histogram)) != histogram) std::abort();
    if (const auto series = unpack_series(bytes))
        if (unpack_series(pack(*series)) != series) std::abort();
    return 0;
}
