// SPDX-License-Identifier: GPL-3.0-or-later
/// The complete identity of a medium as rows for terminal and page. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "host/media/identity/medium.hpp"
#include "host/media/identity/row.hpp"

namespace mediarig::media {

/// Sections: medium, USB, SCSI, queue, card registers, NVMe, SMART. Unreported values have no row; for card registers
/// that a USB reader hides, one row states this. The text comes from the medium: escape it for the output format.
[[nodiscard]] std::vector<IdentityRow> identity_rows(const Medium& medium);

[[nodiscard]] nlohmann::json to_json(const IdentityRow& row);

} // namespace mediarig::media
