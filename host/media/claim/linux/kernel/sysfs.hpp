// SPDX-License-Identifier: GPL-3.0-or-later
/// Readers for small files and links of /sys and /proc. They distinguish absent from unreadable: an absent attribute is
/// a fact, an unreadable one is a doubt, and a doubt causes a refusal.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// Contents of a file, up to 4 MiB; empty if there is no such file. Fails with io_failed, naming path and cause.
[[nodiscard]] Result<std::optional<std::string>> read_file_if_there(const std::string& path);
/// A text attribute for display: made printable, empty if absent or unreadable. Never use this text for a decision.
[[nodiscard]] std::string text_attribute(const std::string& path);
/// A decimal number; empty if the file is absent. Fails with io_failed if it is unreadable or not a number.
[[nodiscard]] Result<std::optional<std::uint64_t>> number_attribute(const std::string& path);
/// Parses "8:17", the kernel's format of device numbers, with optional white space around it; empty for other text.
[[nodiscard]] std::optional<DeviceNumber> device_number(std::string_view text);
/// Sorted names in a directory, without those that start with a dot; empty if there is no such directory.
[[nodiscard]] Result<std::optional<std::vector<std::string>>> names_in(const std::string& directory);
/// Directory of all disks and partitions, and the names in it. Fails with io_failed without sysfs.
inline const std::string block_class = "/sys/class/block/";
[[nodiscard]] Result<std::vector<std::string>> block_names();
/// Path without symbolic links; empty if it does not resolve.
[[nodiscard]] std::string real_path(const std::string& path);
/// Target of a sysfs link to a device directory ("/sys/class/block/sda"). Needs fewer system calls than real_path(),
/// which checks each component. Empty if absent.
[[nodiscard]] std::string device_directory(const std::string& link);
/// Last component of a link's target ("usb" for …/subsystem -> ../../bus/usb); empty if absent.
[[nodiscard]] std::string link_name(const std::string& path);
[[nodiscard]] bool exists(const std::string& path);
/// True for a device name of this kind with a number: "loop7" for "loop", but not the partition "loop7p1".
[[nodiscard]] bool is_numbered(std::string_view name, std::string_view kind);
/// "sda1" for "/sys/…/sda1".
[[nodiscard]] std::string base_name(const std::string& path);
/// "/sys/…/sda" for "/sys/…/sda/sda1"; empty at the top.
[[nodiscard]] std::string parent_path(const std::string& path);

} // namespace mediarig::media
