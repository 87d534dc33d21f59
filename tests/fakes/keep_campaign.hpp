// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes a campaign that is in memory into a store.
#pragma once

#include <cstddef>

#include "host/base/result.hpp"
#include "host/store/record.hpp"
#include "host/store/store.hpp"

namespace mediarig::fakes {

/// As a finished campaign of `devices` devices: those of `view`, again and again. Each gets a key of its own, and its
/// passes get ids of their own. Fails as the store.
[[nodiscard]] Result<void> keep_campaign(store::Store& store, const store::CampaignView& view, std::size_t devices);

} // namespace mediarig::fakes
