// SPDX-License-Identifier: GPL-3.0-or-later
/// Adapter: reads signatures with libblkid through an open descriptor. Never writes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/claim/signature.hpp"

namespace mediarig::media {

enum class SearchDepth : std::uint8_t {
    listed,       ///< the device, and each partition that a valid table lists
    with_remains, ///< also the places of damaged and overruled tables, and the usual starts of volumes
};

/// All signatures on the whole device and in each partition that libblkid or spans_of_all_tables() finds, including
/// stale ones.
///
/// After read errors, reads the first and the last 4 MiB of the device and of each partition again in small pieces.
/// Signatures in readable pieces are found; `unreadable` lists the other ranges. Data not read within 30 s counts as
/// unreadable. Fails with io_failed if the device is gone, or if libblkid fails for another reason.
[[nodiscard]] Result<SignatureScan> probe_signatures(int descriptor, Bytes size,
                                                     SearchDepth depth = SearchDepth::with_remains);

/// Reads the signatures of a device that is not yet described. Opens the node read-only and closes it again. Fails with
/// no_permission, no_medium, io_failed, timed_out.
[[nodiscard]] Result<std::vector<Signature>> read_signatures_of(const std::string& node);

} // namespace mediarig::media
