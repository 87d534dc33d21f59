// SPDX-License-Identifier: GPL-3.0-or-later
/// Decodes any bytes as SD registers. Decoding gives values in range, or an empty result.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "host/media/identity/indications.hpp"
#include "host/media/identity/medium.hpp"
#include "host/media/identity/rows.hpp"
#include "host/media/identity/sd_registers.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {
void require(bool promise) {
    if (!promise) std::abort();
}

/// Passes half of the inputs unchanged, and the other half as hexadecimal digits, so that the fuzzer passes the length
/// check.
std::string as_hex(const std::uint8_t* data, std::size_t size, std::size_t digits) {
    constexpr const char* figures = "0123456789abcdef";
    std::string hex;
    for (std::size_t i = 0; i < digits; ++i) hex += figures[size == 0 ? 0 : data[i % size] >> (4 * (i & 1u)) & 15u];
    return hex;
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string raw(reinterpret_cast<const char*>(data), size);
    (void)decode_sd_registers(raw, raw, raw, raw);
    require(printable(printable(raw)) == printable(raw));

    const SdIdentity sd = decode_sd_registers(as_hex(data, size, 32), as_hex(data, size, 32), as_hex(data, size, 16),
                                              as_hex(data, size, 128));
    require(sd.month <= 12 && (sd.month == 0) == (sd.year == 0));
    require(!sd.allocation_unit || (*sd.allocation_unit >= 16_KiB && *sd.allocation_unit <= 64_MiB));
    require(!sd.csd_capacity || *sd.csd_capacity > 0_B);
    require(sd.product_name.size() <= 5);
    Medium card;
    card.sd = sd;
    for (const IdentityRow& row : identity_rows(card))
        require(!row.section.empty() && !row.name.empty() && !row.value.empty() && !row.source.empty());
    for (const Indication& sign : fake_indications(card, CalendarMonth{2024, 5}))
        require(!sign.name.empty() && !sign.reason.empty() && !sign.source.empty());
    return 0;
}
