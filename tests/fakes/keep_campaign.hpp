// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes a campaign in memory into a store.
#pragma once

#include <cstddef>

#include "host/base/result.hpp"
#include "host/store/record.hpp"
#include "host/store/store.hpp"

namespace mediarig::fakes {

/// Stores a finished campaign of `devices` devices, which repeat those of `view`. Each has a unique key, and its passes
/// have unique ids. Fails like the store.
[[nodiscard]] Result<void> keep_campaign(store::Store& store, const store::CampaignView& view, std::size_t devices);

} // namespace mediarig::fakes
