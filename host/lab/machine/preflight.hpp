// SPDX-License-Identifier: GPL-3.0-or-later
/// Checks that this computer can run the machine, before the machine is started.
#pragma once

#include <istream>
#include <string>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/lab/machine/machine_spec.hpp"

namespace mediarig::lab {

/// Memory of QEMU in addition to the guest's. Measured: 280-340 MB resident after boot for any size of the guest.
inline constexpr Bytes qemu_memory = 350_MiB;
/// Space for logs in the machine's directory.
inline constexpr Bytes log_space = 16_MiB;

/// $MEDIARIG_QEMU, else "qemu-system-x86_64".
[[nodiscard]] std::string wanted_qemu();
/// Returns the path of QEMU. Fails with no_driver; the detail names the package.
[[nodiscard]] Result<std::string> find_qemu(const std::string& program);
/// Fails with no_driver; the detail gives the command that builds an image.
[[nodiscard]] Result<void> check_image(const BootFiles& image);
/// `available`: memory that the system can provide without swapping. Fails with no_driver.
[[nodiscard]] Result<void> check_memory(Bytes guest, Bytes available);
/// Reads MemAvailable from the text of /proc/meminfo. Fails with bad_format.
[[nodiscard]] Result<Bytes> available_memory(std::istream& meminfo);
/// Checks the free space in `directory`. Fails with no_driver.
[[nodiscard]] Result<void> check_free_space(const std::string& directory, Bytes needed);
/// Fails with no_medium (missing file), no_permission.
[[nodiscard]] Result<Bytes> size_of_image(const std::string& path);

} // namespace mediarig::lab
