// SPDX-License-Identifier: GPL-3.0-or-later
/// Identity of a medium that the lab emulates without a transport: the kernel's block device has none. The lab writes
/// one JSON file for each device, named after it ("ublkb3"):
///   {"vendor": "…", "model": "…", "revision": "…", "serial": "…"}, or the registers of an SD card:
///   {"cid": "…", "csd": "…", "scr": "…", "ssr": "…"}
#pragma once

#include <string>
#include <string_view>

#include "host/base/result.hpp"
#include "host/media/claim/linux/kernel/block_graph.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// Adds the identity in `text` to a medium, and makes the medium removable. Fails with bad_format.
[[nodiscard]] Result<void> adopt_identity(Medium& medium, std::string_view text);

/// Adopts the identity of the disk from its file in `folder`. Returns false, without a change, if the folder is empty
/// text, has no file for the disk, or the disk is not a device of ublk: no disk of a machine can become removable by
/// such a file. An invalid file is a doubt, which refuses the medium.
[[nodiscard]] bool adopt_emulated(Medium& medium, const BlockNode& disk, const std::string& folder);

} // namespace mediarig::media
