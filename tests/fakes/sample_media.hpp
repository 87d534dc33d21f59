// SPDX-License-Identifier: GPL-3.0-or-later
/// What an inspector would see on cards of the sample campaign. Numbers follow from the size as the formatters' rules
/// give them.
#pragma once

#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::fakes {

/// An MBR and one exFAT in the SD layout of 64 GB: start and boundary unit 16 MiB, FAT in its own half.
[[nodiscard]] media::InspectReport card_as_sold(Bytes size);
/// The same card as partitioned by Windows: everything at 1 MiB, the heap unaligned.
[[nodiscard]] media::InspectReport card_off_the_unit(Bytes size);
/// exFAT on the bare medium, as mkfs.exfat 1.2.0 lays it out.
[[nodiscard]] media::InspectReport bare_exfat(Bytes size);
/// APFS on the bare medium by mkapfs.
[[nodiscard]] media::InspectReport bare_apfs(Bytes size);

} // namespace mediarig::fakes
