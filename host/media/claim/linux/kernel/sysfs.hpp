// SPDX-License-Identifier: GPL-3.0-or-later
/// Reading the small files and links of /sys and /proc. What is absent and what could not be read are two things: an
/// absent attribute is a fact, an unreadable one is doubt, and doubt is a refusal.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// The whole file, up to 4 MiB; nothing where there is no such file. Fails with io_failed, naming path and cause.
[[nodiscard]] Result<std::optional<std::string>> read_file_if_there(const std::string& path);
/// The same for an attribute that is text for people: made printable, empty where absent or unreadable. Only for what
/// no decision depends on.
[[nodiscard]] std::string text_attribute(const std::string& path);
/// A decimal number; nothing where absent. Fails with io_failed where unreadable or no number.
[[nodiscard]] Result<std::optional<std::uint64_t>> number_attribute(const std::string& path);
/// "8:17" as the kernel writes device numbers, white space around it aside; nothing where it is none.
[[nodiscard]] std::optional<DeviceNumber> device_number(std::string_view text);
/// Names in a directory without those that start with a dot, sorted; nothing where there is no such directory.
[[nodiscard]] Result<std::optional<std::vector<std::string>>> names_in(const std::string& directory);
/// Where the kernel keeps all disks and partitions, and their names there. Fails with io_failed without sysfs.
inline const std::string block_class = "/sys/class/block/";
[[nodiscard]] Result<std::vector<std::string>> block_names();
/// Without symbolic links; empty where it does not resolve.
[[nodiscard]] std::string real_path(const std::string& path);
/// What a link of sysfs to a device's directory points to ("/sys/class/block/sda"), without asking for each component
/// of the path as real_path has to; empty where absent.
[[nodiscard]] std::string device_directory(const std::string& link);
/// The last component of what a link points to ("usb" for …/subsystem -> ../../bus/usb); empty where absent.
[[nodiscard]] std::string link_name(const std::string& path);
[[nodiscard]] bool exists(const std::string& path);
/// Whether it is a kind of device with its number: "loop7" of "loop", but not its partition "loop7p1".
[[nodiscard]] bool is_numbered(std::string_view name, std::string_view kind);
/// "sda1" of "/sys/…/sda1".
[[nodiscard]] std::string base_name(const std::string& path);
/// "/sys/…/sda" of "/sys/…/sda/sda1"; empty at the top.
[[nodiscard]] std::string parent_path(const std::string& path);

} // namespace mediarig::media
