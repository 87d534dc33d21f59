// SPDX-License-Identifier: GPL-3.0-or-later
/// Finds signs of a fake in a device's identity by comparison with the other devices of its campaign. Pure.
#pragma once

#include <vector>

#include "host/media/identity/indications.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

[[nodiscard]] std::vector<media::Indication> fake_indications(const store::CampaignView& campaign, std::size_t device);

} // namespace mediarig::report
