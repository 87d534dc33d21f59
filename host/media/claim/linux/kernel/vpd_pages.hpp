// SPDX-License-Identifier: GPL-3.0-or-later
/// SCSI inquiry data and vital product data, from the sysfs attributes inquiry, vpd_pg0, vpd_pg80, vpd_pg83, vpd_pgb0,
/// vpd_pgb1 and vpd_pgb2. Source: T10, SPC-4, sections 6.6.2 and 7.8.3 to 7.8.15, and SBC-3, section 6.5 (page
/// layouts). Pure; trusts no length: USB bridges are known to return arbitrary data in these pages. Fields after the
/// end of a short page are 0, as in a page that does not report them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/media/identity/identity_values.hpp"

namespace mediarig::media {

/// Page 0x80, unit serial number: printable and trimmed; empty if the page is malformed or has no serial.
[[nodiscard]] std::string unit_serial_from_vpd(std::string_view page);
/// Page 0x83: the most specific name of the logical unit: "naa.…" before "eui.…" before a SCSI name string before
/// "t10.…"; empty if the page has no name.
[[nodiscard]] std::string designator_from_vpd(std::string_view page);

/// Empty if the data is too short for the fields.
[[nodiscard]] std::optional<ScsiInquiry> inquiry_from(std::string_view data);
/// Page 0x00: codes of the supported pages, in the order of the device.
[[nodiscard]] std::vector<std::uint32_t> pages_from_vpd(std::string_view page);
/// Page 0x83: all names, in the order of the page, up to the first name that exceeds the page; at most 32.
[[nodiscard]] std::vector<ScsiDesignator> designators_from_vpd(std::string_view page);
/// Pages 0xB0, 0xB1 and 0xB2; empty if the page has another code or contains none of the fields.
[[nodiscard]] std::optional<ScsiBlockLimits> block_limits_from_vpd(std::string_view page);
[[nodiscard]] std::optional<ScsiCharacteristics> characteristics_from_vpd(std::string_view page);
[[nodiscard]] std::optional<ScsiProvisioning> provisioning_from_vpd(std::string_view page);

} // namespace mediarig::media
