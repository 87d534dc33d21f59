// SPDX-License-Identifier: GPL-3.0-or-later
/// Adapter: signatures through libblkid, on an open descriptor. Reads only.
#pragma once

#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/claim/signature.hpp"

namespace mediarig::media {

/// Every signature on the whole device and in each partition of the table found on it, stale ones included.
///
/// Where the device answers read errors, the first and the last 4 MiB of it and of each partition are read once more in
/// small pieces: signatures that can be read there are found, and what cannot is in `unreadable`. What is not read
/// within half a minute counts as unreadable.
/// Fails with io_failed where the device does not answer otherwise: it is gone, or libblkid fails for another reason.
[[nodiscard]] Result<SignatureScan> probe_signatures(int descriptor, Bytes size);

/// What is on a device that nobody has described yet, read through a descriptor of its own.

/// Opens read-only and closes again. Fails with no_permission, no_medium, io_failed.
[[nodiscard]] Result<std::vector<Signature>> look_at_signatures(const std::string& node);

} // namespace mediarig::media
