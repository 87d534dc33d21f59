// SPDX-License-Identifier: GPL-3.0-or-later
/// Sends commands to a card or an eMMC through the kernel's mmc driver (ioctl MMC_IOC_CMD).
#pragma once

#include <memory>

#include "host/base/descriptor.hpp"
#include "host/media/identity/health/card_health.hpp"

namespace mediarig::media {

/// `node`: an open block device, read-only is sufficient. The kernel requires CAP_SYS_RAWIO and the whole device, and
/// sends each command between two requests of other users of the device.
[[nodiscard]] std::unique_ptr<CardCommands> make_mmc_commands(Descriptor node);

} // namespace mediarig::media
