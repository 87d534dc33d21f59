// SPDX-License-Identifier: GPL-3.0-or-later
/// The descriptors of the connection to the controller.
#pragma once

#include <string>

#include "host/agent/server/serve.hpp"
#include "host/base/process/caller.hpp"
#include "host/base/result.hpp"

namespace mediarig::agent {

/// Takes over standard input and output. Other output of this process or its children goes to standard error, and no
/// child inherits the connection. Fails with io_failed.
[[nodiscard]] Result<LineEnds> take_standard_streams();

/// Opens a terminal, a serial port or a virtio port with the rights of the caller and sets a terminal to raw mode.
/// Opens no other kind of device, because opening alone affects some devices (a watchdog, a tape). Fails with
/// bad_request (no such device, another kind), no_permission, io_failed.
[[nodiscard]] Result<LineEnds> open_device_line(const process::Caller& caller, const std::string& path);

} // namespace mediarig::agent
