// SPDX-License-Identifier: GPL-3.0-or-later
/// All public fields of an SD card's registers, with value, unit and bits. Source: SD Association, "Physical Layer
/// Simplified Specification", sections 5.1 (OCR), 5.2 (CID), 5.3 (CSD), 5.6 (SCR) and 4.10.2 (SD Status). Pure; trusts
/// no bit: reserved codes are shown as reserved.
#pragma once

#include <string_view>
#include <vector>

#include "host/media/identity/identity_values.hpp"
#include "host/media/identity/row.hpp"

namespace mediarig::media {

/// Registers in the format of the kernel, as in sd_registers.hpp. Invalid or all-zero registers have no rows.
[[nodiscard]] std::vector<IdentityRow> cid_rows(std::string_view cid);
[[nodiscard]] std::vector<IdentityRow> csd_rows(std::string_view csd);
[[nodiscard]] std::vector<IdentityRow> scr_rows(std::string_view scr);
/// The SCR determines which codes of the allocation unit are valid.
[[nodiscard]] std::vector<IdentityRow> ssr_rows(std::string_view ssr, std::string_view scr);
/// "0x…" in the format of the kernel, at most eight digits.
[[nodiscard]] std::vector<IdentityRow> ocr_rows(std::string_view ocr);

/// Rows of all registers, and of additional values from the kernel: RCA, DSR, erase sizes.
[[nodiscard]] std::vector<IdentityRow> sd_rows(const SdIdentity& sd);

} // namespace mediarig::media
