// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes zeros and data to a medium, for file systems that mediarig writes itself.
#pragma once

#include <string>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/inspect/load.hpp"

namespace mediarig::media {

/// Writes data. Fails with io_failed: "cannot write the WHAT at byte N: …".
[[nodiscard]] Result<void> write_at(int descriptor, const std::string& what, Bytes offset, Raw bytes);

/// Writes zeros, never a discard or similar command. Fails like write_at.
[[nodiscard]] Result<void> write_zeros(int descriptor, const std::string& what, Bytes offset, Bytes length);

/// Uses the cheapest method that guarantees zeros: a hole in a file or in the file below a loop device, the device's
/// command, zeros by the kernel, written zeros. Fails with io_failed: "cannot clear the WHAT at byte N: …".
[[nodiscard]] Result<void> clear_span(int descriptor, const std::string& what, Bytes offset, Bytes length);

} // namespace mediarig::media
