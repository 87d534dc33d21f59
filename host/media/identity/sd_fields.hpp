// SPDX-License-Identifier: GPL-3.0-or-later
/// Every public field of an SD card's registers, with its value, unit and bits. Source: SD Association, "Physical Layer
/// Simplified Specification", sections 5.1 (OCR), 5.2 (CID), 5.3 (CSD), 5.6 (SCR) and 4.10.2 (SD Status). Pure, and
/// trusts no bit: a reserved code is shown as one.
#pragma once

#include <string_view>
#include <vector>

#include "host/media/identity/identity_values.hpp"
#include "host/media/identity/row.hpp"

namespace mediarig::media {

/// Registers as the kernel prints them, as in sd_registers.hpp. What is none, or all zeros, has no rows.
[[nodiscard]] std::vector<IdentityRow> cid_rows(std::string_view cid);
[[nodiscard]] std::vector<IdentityRow> csd_rows(std::string_view csd);
[[nodiscard]] std::vector<IdentityRow> scr_rows(std::string_view scr);
/// The SCR tells which codes of the allocation unit count.
[[nodiscard]] std::vector<IdentityRow> ssr_rows(std::string_view ssr, std::string_view scr);
/// "0x…", as the kernel prints it, eight digits at most.
[[nodiscard]] std::vector<IdentityRow> ocr_rows(std::string_view ocr);

/// All of them, with what the kernel says beside: RCA, DSR, erase sizes.
[[nodiscard]] std::vector<IdentityRow> sd_rows(const SdIdentity& sd);

} // namespace mediarig::media
