// SPDX-License-Identifier: GPL-3.0-or-later
/// A medium's whole identity as rows that a terminal and a page show alike. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "host/media/identity/medium.hpp"
#include "host/media/identity/row.hpp"

namespace mediarig::media {

/// In sections: medium, USB, SCSI, queue, the registers of a card, NVMe, SMART. What nobody said has no row; the
/// registers of a card that a USB reader hides have one that says so. The text is of the medium: make it safe for where
/// it is shown.
[[nodiscard]] std::vector<IdentityRow> identity_rows(const Medium& medium);

[[nodiscard]] nlohmann::json to_json(const IdentityRow& row);

} // namespace mediarig::media
