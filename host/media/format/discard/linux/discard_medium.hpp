// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>

#include "host/base/result.hpp"
#include "host/media/claim/claim.hpp"
#include "host/media/format/discard/discard.hpp"

namespace mediarig::media {

/// Discards a whole claimed medium through the descriptor of its claim. Writes nothing if the kernel reports no discard
/// support. Fails with refused (the medium has changed; the claim is void), cancelled and io_failed. `cancel` may be
/// null.
[[nodiscard]] Result<DiscardReport> discard_medium(ErasableMedium& medium, Discovery& discovery,
                                                   const std::atomic<bool>* cancel);

} // namespace mediarig::media
