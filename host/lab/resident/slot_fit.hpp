// SPDX-License-Identifier: GPL-3.0-or-later
/// What a card model has to be like so that it can sit in a slot of a kind. Values only.
#pragma once

#include <cstdint>
#include <optional>

#include "host/lab/card/config.hpp"
#include "host/lab/machine/slot.hpp"

namespace mediarig::lab {

/// `size` and `seed` in place of the description's own; for an SD slot also what its emulation needs.
[[nodiscard]] CardOverrides overrides_for(SlotKind kind, std::optional<Bytes> size, std::optional<std::uint64_t> seed);

/// Fails with bad_request: an SD slot takes powers of two only, and only an NVMe disk's SMART can warn.
[[nodiscard]] Result<void> fits_slot(SlotKind kind, const CardConfig& card);

} // namespace mediarig::lab
