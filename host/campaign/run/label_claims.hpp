// SPDX-License-Identifier: GPL-3.0-or-later
/// Compares the label of a medium, as typed by the operator, with the properties that the medium reports. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/units.hpp"
#include "host/measure/finding.hpp"
#include "host/store/record.hpp"

namespace mediarig::campaign {

/// Claims of a label such as "SanDisk Extreme 64GB V30 A2 U3". Unknown words are ignored.
struct LabelClaims {
    std::optional<Bytes> capacity; ///< GB and TB are decimal
    std::optional<std::uint8_t> speed_class, uhs_grade, video_class, app_class;
    bool operator==(const LabelClaims&) const = default;
};
[[nodiscard]] LabelClaims label_claims(std::string_view label);

/// Returns findings if label and medium contradict each other: the size, and the classes of an SD card whose status is
/// known.
[[nodiscard]] measure::Findings findings_about_label(const store::DeviceRecord& medium);

} // namespace mediarig::campaign
