// SPDX-License-Identifier: GPL-3.0-or-later
/// Requirements of the slot kinds on a card model. Values only.
#pragma once

#include <cstdint>
#include <optional>

#include "host/lab/card/config.hpp"
#include "host/lab/machine/slot.hpp"

namespace mediarig::lab {

/// Returns `size` and `seed` as overrides, and for an SD slot also the settings that its emulation needs.
[[nodiscard]] CardOverrides overrides_for(SlotKind kind, std::optional<Bytes> size, std::optional<std::uint64_t> seed);

/// Fails with bad_request: an SD slot takes only powers of two, and only an NVMe disk has SMART warnings.
[[nodiscard]] Result<void> fits_slot(SlotKind kind, const CardConfig& card);

} // namespace mediarig::lab
