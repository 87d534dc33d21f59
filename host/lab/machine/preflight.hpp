// SPDX-License-Identifier: GPL-3.0-or-later
/// Whether this computer can run the machine at all, before anything is started.
#pragma once

#include <istream>
#include <string>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/lab/machine/machine_spec.hpp"

namespace mediarig::lab {

/// What QEMU needs beside the guest's memory. Measured: 280-340 MB resident after boot whatever the guest has.
inline constexpr Bytes qemu_memory = 350_MiB;
/// Room for logs in the machine's directory.
inline constexpr Bytes log_room = 16_MiB;

/// $MEDIARIG_QEMU, else "qemu-system-x86_64".
[[nodiscard]] std::string wanted_qemu();
/// The path of QEMU. Fails with no_driver, naming the package.
[[nodiscard]] Result<std::string> find_qemu(const std::string& program);
/// Fails with no_driver, saying how an image is made.
[[nodiscard]] Result<void> check_image(const BootFiles& image);
/// `available`: what the system can give without swapping. Fails with no_driver.
[[nodiscard]] Result<void> check_memory(Bytes guest, Bytes available);
/// MemAvailable in the text of /proc/meminfo; fails with bad_format.
[[nodiscard]] Result<Bytes> available_memory(std::istream& meminfo);
/// Free room in `directory`. Fails with no_driver.
[[nodiscard]] Result<void> check_room(const std::string& directory, Bytes needed);
/// A path that QEMU and a person can both name. Fails with no_medium (not there), no_permission.
[[nodiscard]] Result<Bytes> size_of_image(const std::string& path);

} // namespace mediarig::lab
