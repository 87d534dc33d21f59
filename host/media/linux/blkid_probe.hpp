// SPDX-License-Identifier: GPL-3.0-or-later
/// Adapter: signatures through libblkid, on an open descriptor. Reads only.
#pragma once

#include <string>
#include <vector>

#include "host/media/signature.hpp"
#include "host/result.hpp"

namespace mediarig::media {

/// Every signature on the whole device and in each partition of the table found on it, stale ones included.
/// Fails with io_failed where the device does not answer: what cannot be read cannot be said to be nobody's.
[[nodiscard]] Result<std::vector<Signature>> probe_signatures(int descriptor, Bytes size);

} // namespace mediarig::media
