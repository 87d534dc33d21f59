// SPDX-License-Identifier: GPL-3.0-or-later
/// The file below an overlay that holds the bytes of one which is open through the overlay.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "host/base/descriptor.hpp"
#include "host/base/process/caller.hpp"
#include "host/base/result.hpp"

namespace mediarig::media {

[[nodiscard]] bool is_on_overlay(const Descriptor& file);
/// The device that the kernel's tables give for the file's mount: on btrfs it is not the one of stat(2). Nothing where
/// that is not told.
[[nodiscard]] std::optional<dev_t> device_of_mount(const Descriptor& file);
/// Whether the file lies in a directory that an overlay of this mount namespace is written to: who uses it through that
/// overlay is seen under other names and numbers. Also true where the table of mounts cannot be read.
[[nodiscard]] bool is_below_overlay(const std::string& path);

/// `file` is open for writing, so that its upper file exists. O_PATH: opening it so is seen by no lease.
/// Fails with refused where that file cannot be found from here: the overlay is of another mount namespace, or its
/// upper directory is.
[[nodiscard]] Result<Descriptor> find_upper_file(const process::FoundFile& file);

} // namespace mediarig::media
