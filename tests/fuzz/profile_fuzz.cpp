// SPDX-License-Identifier: GPL-3.0-or-later
/// Parses any text as a maker's profile. An accepted profile survives a round trip.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "host/media/conformance/profile.hpp"

using namespace mediarig::media;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto profile = profile_from_json({reinterpret_cast<const char*>(data), size});
    if (!profile) return 0;
    const auto again = profile_from_json(to_json(*profile).dump());
    if (!again || *again != *profile) std::abort();
    (void)deviations_from(*profile, {});
    return 0;
}
