// SPDX-License-Identifier: GPL-3.0-or-later
/// Decodes any bytes as numbers, which are equal after encoding and decoding again. Accepted base64 text is encoded to
/// the same text.
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/measure/encoding.hpp"

using namespace mediarig::measure;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span bytes(data, size);
    if (const auto samples = decode_varints(bytes)) {
        std::vector<std::uint8_t> again;
        encode_varints(*samples, again);
        if (again.size() > size || decode_varints(again) != samples) std::abort();
    }
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto decoded = decode_base64(text)) {
        std::string again;
        encode_base64(*decoded, again);
        if (again != text) std::abort();
    }
    std::string encoded;
    encode_base64(bytes, encoded);
    if (decode_base64(encoded) != std::vector<std::uint8_t>(bytes.begin(), bytes.end())) std::abort();
    return 0;
}
