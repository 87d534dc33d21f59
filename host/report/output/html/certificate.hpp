// SPDX-License-Identifier: GPL-3.0-or-later
/// What was found about a device on one sheet of paper, for a seller or a file. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/report/text/display_text.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// One page with a sheet of A4 for each of `devices`, which are indices into CampaignView::devices: claim against
/// truth, evidence, identity, how to check it, and the SHA-256 of device_record(). Under the same policy as
/// render_html(). Loads them one after the other. Fails as `load`.
[[nodiscard]] Result<std::string> render_certificates(store::CampaignView&& outline,
                                                      const std::vector<std::size_t>& devices, const LoadDevice& load);

} // namespace mediarig::report
