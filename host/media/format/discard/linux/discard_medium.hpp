// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>

#include "host/base/result.hpp"
#include "host/media/claim/claim.hpp"
#include "host/media/format/discard/discard.hpp"

namespace mediarig::media {

/// All of a claimed medium, through the descriptor of its claim. One of which the kernel says that it takes no discard
/// is not written to. Fails with refused (it is another medium by now, and the claim is void), cancelled and io_failed.
/// `cancel` may be null.
[[nodiscard]] Result<DiscardReport> discard_medium(ErasableMedium& medium, Discovery& discovery,
                                                   const std::atomic<bool>* cancel);

} // namespace mediarig::media
