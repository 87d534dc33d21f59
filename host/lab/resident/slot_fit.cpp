// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/resident/slot_fit.hpp"

#include <fmt/format.h>

#include <bit>

#include "host/base/text.hpp"

namespace mediarig::lab {
namespace {

/// QEMU's SD card requests each sector separately, some tens of microseconds after the one before; the guest's next
/// command takes longer.
constexpr std::chrono::microseconds sectors_of_one_command{250};

} // namespace

CardOverrides overrides_for(SlotKind kind, std::optional<Bytes> size, std::optional<std::uint64_t> seed) {
    CardOverrides overrides{.claimed = size, .start_value = seed};
    if (kind == SlotKind::sd) overrides.joins_within = sectors_of_one_command;
    return overrides;
}

Result<void> fits_slot(SlotKind kind, const CardConfig& card) {
    if (kind != SlotKind::nvme && card.smart_critical_warning != 0)
        return fail(Errc::bad_request, fmt::format("the card has SMART warnings, and a slot of the kind {} does not "
                                                   "pass SMART on; choose the kind \"nvme\"",
                                                   name_of(kind)));
    if (kind != SlotKind::sd || std::has_single_bit(card.claimed.count)) return {};
    return fail(Errc::bad_request, fmt::format("the card claims {}, and an SD slot accepts only powers of two; "
                                               "give a size, or choose the kind \"reader\"",
                                               size_text(card.claimed)));
}

} // namespace mediarig::lab
