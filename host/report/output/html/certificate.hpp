// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes the results of a device on one sheet of paper, for a seller or a file. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/report/text/display_text.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// Returns one page with an A4 sheet for each of `devices`, indices into CampaignView::devices: claimed and real
/// capacity, evidence, identity, instructions for checking it, and the SHA-256 of device_record(). Same content policy
/// as render_html(). Loads the devices one after the other. Fails as `load`.
[[nodiscard]] Result<std::string> render_certificates(store::CampaignView&& outline,
                                                      const std::vector<std::size_t>& devices, const LoadDevice& load);

} // namespace mediarig::report
