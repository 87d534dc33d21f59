// SPDX-License-Identifier: GPL-3.0-or-later
/// Inspection reports of cards of the sample campaign. Their numbers are computed from the size of the card by the
/// rules of the formatters.
#pragma once

#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::fakes {

/// An MBR and one exFAT in the SD layout of 64 GB: start and boundary unit 16 MiB, FAT in a separate half.
[[nodiscard]] media::InspectReport card_as_sold(Bytes size);
/// The medium of card_as_sold() as partitioned by Windows: everything at 1 MiB, the heap unaligned.
[[nodiscard]] media::InspectReport card_off_the_unit(Bytes size);
/// exFAT on the bare medium, in the layout of mkfs.exfat 1.2.0.
[[nodiscard]] media::InspectReport bare_exfat(Bytes size);
/// APFS on the bare medium by mkapfs.
[[nodiscard]] media::InspectReport bare_apfs(Bytes size);

} // namespace mediarig::fakes
