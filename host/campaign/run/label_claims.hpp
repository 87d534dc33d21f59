// SPDX-License-Identifier: GPL-3.0-or-later
/// What is printed on a medium, as the operator typed it, against what the medium says itself. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/units.hpp"
#include "host/measure/finding.hpp"
#include "host/store/record.hpp"

namespace mediarig::session {

/// "SanDisk Extreme 64GB V30 A2 U3". What is not understood is left out.
struct LabelClaims {
    std::optional<Bytes> capacity; ///< GB and TB are decimal
    std::optional<std::uint8_t> speed_class, uhs_grade, video_class, app_class;
    bool operator==(const LabelClaims&) const = default;
};
[[nodiscard]] LabelClaims label_claims(std::string_view label);

/// Where label and medium say different things: its size, and the classes of an SD card whose status is known.
[[nodiscard]] measure::Findings findings_about_label(const store::DeviceRecord& medium);

} // namespace mediarig::session
