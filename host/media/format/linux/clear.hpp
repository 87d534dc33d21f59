// SPDX-License-Identifier: GPL-3.0-or-later
/// Zeros on a medium, and bytes at a place, for those who write file systems themselves.
#pragma once

#include <string>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/inspect/load.hpp"

namespace mediarig::media {

/// Fails with io_failed: "cannot write the WHAT at byte N: …".
[[nodiscard]] Result<void> write_at(int descriptor, const std::string& what, Bytes offset, Raw bytes);

/// Zeros themselves, whatever the medium could do instead. Fails like write_at.
[[nodiscard]] Result<void> write_zeros(int descriptor, const std::string& what, Bytes offset, Bytes length);

/// By the cheapest means that promises zeros: a hole in a file or in the file behind a loop device, the device's own
/// command, the kernel's zeros, ours. Fails with io_failed: "cannot clear the WHAT at byte N: …".
[[nodiscard]] Result<void> clear_span(int descriptor, const std::string& what, Bytes offset, Bytes length);

} // namespace mediarig::media
