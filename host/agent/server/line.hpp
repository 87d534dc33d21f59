// SPDX-License-Identifier: GPL-3.0-or-later
/// The descriptors of the line to the controller.
#pragma once

#include <string>

#include "host/agent/server/serve.hpp"
#include "host/base/process/caller.hpp"
#include "host/base/result.hpp"

namespace mediarig::agent {

/// Takes over standard input and output. What else this process or a child of it prints goes to standard error, and
/// no child keeps the line open. Fails with io_failed.
[[nodiscard]] Result<LineEnds> take_standard_streams();

/// A terminal, a serial port or a virtio port, opened with the rights of the caller; a terminal is set to raw bytes. No
/// other device is opened, since opening alone has effects on some (a watchdog, a tape).
/// Fails with bad_request (no such device, another kind), no_permission, io_failed.
[[nodiscard]] Result<LineEnds> open_device_line(const process::Caller& caller, const std::string& path);

} // namespace mediarig::agent
