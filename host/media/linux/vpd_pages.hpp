// SPDX-License-Identifier: GPL-3.0-or-later
/// SCSI vital product data, as the kernel gives it in vpd_pg80 and vpd_pg83. Source: T10, SPC-4, sections 7.8.3
/// to 7.8.15 (page layouts). Pure; trusts no length: USB bridges are known to fill these pages with anything.
#pragma once

#include <string>
#include <string_view>

namespace mediarig::media {

/// Page 0x80, unit serial number; printable and trimmed, empty where the page is malformed or says nothing.
[[nodiscard]] std::string unit_serial_from_vpd(std::string_view page);
/// Page 0x83: the most specific name of the logical unit: "naa.…" before "eui.…" before a SCSI name string before
/// "t10.…"; empty where there is none.
[[nodiscard]] std::string designator_from_vpd(std::string_view page);

} // namespace mediarig::media
