// SPDX-License-Identifier: GPL-3.0-or-later
/// Adapter: reads signatures with libblkid through an open descriptor. Never writes.
#pragma once

#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/claim/signature.hpp"

namespace mediarig::media {

/// All signatures on the whole device and in each partition of its table, including stale ones.
///
/// After read errors, reads the first and the last 4 MiB of the device and of each partition again in small pieces.
/// Signatures in readable pieces are found; `unreadable` lists the other ranges. Data not read within 30 s counts as
/// unreadable. Fails with io_failed if the device is gone, or if libblkid fails for another reason.
[[nodiscard]] Result<SignatureScan> probe_signatures(int descriptor, Bytes size);

/// Reads the signatures of a device that is not yet described. Opens the node read-only and closes it again. Fails with
/// no_permission, no_medium, io_failed, timed_out.
[[nodiscard]] Result<std::vector<Signature>> read_signatures_of(const std::string& node);

} // namespace mediarig::media
