// SPDX-License-Identifier: GPL-3.0-or-later
/// Folders that mediarig makes, and the only code that removes a folder with its contents.
///
/// A folder that mediarig makes contains a mark, a file that names mediarig in its first line. No folder without the
/// mark is emptied or removed, whatever its name is and whichever variable or option names it. Removal works on
/// descriptors: it follows no link, enters no other mount, and leaves entries of other users.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"

namespace mediarig {

/// File name of the mark.
inline constexpr std::string_view folder_mark = ".mediarig-folder";

/// True if mediarig itself creates an entry of this name directly in the folder. Not called for the mark.
using IsOwnEntry = std::function<bool(std::string_view name)>;

struct FolderRule {
    IsOwnEntry is_own;      ///< if empty, any name is accepted
    std::string next_step;  ///< last part of a refusal: "set MEDIARIG_LAB_DIR to another folder"
    bool may_adopt{};       ///< accept a folder without a mark if mediarig makes all names in it
    bool others_may_read{}; ///< use the permissions that the umask leaves; otherwise only this user has access
};

class OwnedFolder {
public:
    /// Makes the folder (not its parents), or opens one that has the mark or is empty. Fails with refused (a link, not
    /// a folder, owned by another user, writable for others, without a mark, or with an entry that mediarig does not
    /// make), no_permission and io_failed.
    [[nodiscard]] static Result<OwnedFolder> make(const std::filesystem::path& folder, const FolderRule& rule);

    /// Open for reading for the lifetime of this object.
    [[nodiscard]] int descriptor() const { return folder_.get(); }

private:
    explicit OwnedFolder(Descriptor folder) : folder_(std::move(folder)) {}
    Descriptor folder_;
};

/// Writes the mark into a new folder. Fails with io_failed.
[[nodiscard]] Result<void> mark_folder(int folder, const std::filesystem::path& shown);
/// True if `folder` contains the mark and this user owns the mark.
[[nodiscard]] bool is_marked(int folder);
[[nodiscard]] bool is_marked(const std::filesystem::path& folder);

/// Removes a marked folder with its contents. Succeeds if the folder does not exist. Keeps entries for which `is_own`
/// is false, entries of other users and mount points; then the folder and its mark remain too. Fails with refused (no
/// mark, a link, an entry remains) and io_failed.
[[nodiscard]] Result<void> remove_owned_tree(const std::filesystem::path& folder, const IsOwnEntry& is_own = {});
/// Like remove_owned_tree(), for a folder that this process gave to `user` and that may contain files of that user.
[[nodiscard]] Result<void> remove_given_tree(const std::filesystem::path& folder, uid_t user);
/// Removes a marked folder that contains nothing but the mark; otherwise changes nothing.
void remove_owned_if_empty(const std::filesystem::path& folder);
/// Removes the entries of an open marked folder for which `is_own` is true. Fails like remove_owned_tree().
[[nodiscard]] Result<void> empty_owned_folder(int folder, const std::filesystem::path& shown, const IsOwnEntry& is_own);

} // namespace mediarig
