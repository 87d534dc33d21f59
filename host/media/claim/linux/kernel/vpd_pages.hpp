// SPDX-License-Identifier: GPL-3.0-or-later
/// SCSI inquiry data and vital product data, as the kernel gives them in inquiry, vpd_pg0, vpd_pg80, vpd_pg83,
/// vpd_pgb0, vpd_pgb1 and vpd_pgb2. Source: T10, SPC-4, sections 6.6.2 and 7.8.3 to 7.8.15, and SBC-3, section 6.5
/// (page layouts). Pure; trusts no length: USB bridges are known to fill these pages with anything. What a short page
/// does not reach is 0, as in a page that does not report it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/media/identity/identity_values.hpp"

namespace mediarig::media {

/// Page 0x80, unit serial number; printable and trimmed, empty where the page is malformed or says nothing.
[[nodiscard]] std::string unit_serial_from_vpd(std::string_view page);
/// Page 0x83: the most specific name of the logical unit: "naa.…" before "eui.…" before a SCSI name string before
/// "t10.…"; empty where there is none.
[[nodiscard]] std::string designator_from_vpd(std::string_view page);

/// Nothing where fewer bytes than the fields take are there.
[[nodiscard]] std::optional<ScsiInquiry> inquiry_from(std::string_view data);
/// Page 0x00: the codes of the pages that the device says it has, as it lists them.
[[nodiscard]] std::vector<std::uint32_t> pages_from_vpd(std::string_view page);
/// Page 0x83: every name, in the order of the page, up to the first that does not fit into it; at most 32.
[[nodiscard]] std::vector<ScsiDesignator> designators_from_vpd(std::string_view page);
/// Pages 0xB0, 0xB1 and 0xB2; nothing where the page is another one or holds none of the fields.
[[nodiscard]] std::optional<ScsiBlockLimits> block_limits_from_vpd(std::string_view page);
[[nodiscard]] std::optional<ScsiCharacteristics> characteristics_from_vpd(std::string_view page);
[[nodiscard]] std::optional<ScsiProvisioning> provisioning_from_vpd(std::string_view page);

} // namespace mediarig::media
