// SPDX-License-Identifier: GPL-3.0-or-later
/// Positions of all partitions that tables on a medium list, whichever table counts. The claim searches them for data
/// that must not be erased.
#pragma once

#include <vector>

#include "host/media/identity/medium.hpp"
#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::media {

/// Limited to the medium, without empty spans and without repetitions.
struct ListedSpans {
    /// Of the table that counts, of every valid copy of a GPT, and of the entries of an MBR next to its GPT.
    std::vector<VolumeSpan> declared;
    /// Of tables that are damaged or do not count: a GPT without a valid header, an MBR without its signature, chains
    /// behind a damaged extended boot record, and sector numbers in another unit.
    std::vector<VolumeSpan> possible;
};
[[nodiscard]] ListedSpans spans_of_all_tables(const MediumReader& medium);

} // namespace mediarig::media
