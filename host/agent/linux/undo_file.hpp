// SPDX-License-Identifier: GPL-3.0-or-later
/// The undo files of this machine: one for each medium whose check has not restored it yet.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "host/base/process/caller.hpp"
#include "host/media/identity/medium.hpp"
#include "host/workload/io/undo_storage.hpp"

namespace mediarig::agent {

/// Names a medium in its undo file, independent of its connection: device_key() and the size, because a card reader
/// reports its serial for every card.
[[nodiscard]] std::string undo_key(const media::Medium& medium);

/// /var/lib/mediarig/undo if this process works as root; otherwise mediarig/undo in $XDG_STATE_HOME, or in
/// ~/.local/state. $MEDIARIG_UNDO_DIR replaces it, unless root works for another user. Empty without a home folder.
[[nodiscard]] std::filesystem::path undo_folder(const process::Caller& caller);

/// The undo file of the medium `key` in `folder`. Nothing is created before the first append().
[[nodiscard]] std::unique_ptr<workload::UndoStorage> undo_file(const std::filesystem::path& folder,
                                                               const std::string& key);

/// Keys of the undo files in `folder` for media of this size: a medium in another reader has another key.
[[nodiscard]] std::vector<std::string> undo_keys(const std::filesystem::path& folder, Bytes size);

/// True if that file exists in `folder`, or in the folder of root, whose content other users cannot read.
[[nodiscard]] bool has_undo_file(const std::filesystem::path& folder, const std::string& key);

} // namespace mediarig::agent
