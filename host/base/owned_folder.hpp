// SPDX-License-Identifier: GPL-3.0-or-later
/// Folders that mediarig makes, and the only code that removes one with its contents.
///
/// A folder that mediarig makes contains a mark, a file that names mediarig in its first line. Without the mark no
/// folder is emptied or removed, whatever its name is and whichever variable or option names it. Removal works on
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

/// The name of the mark.
inline constexpr std::string_view folder_mark = ".mediarig-folder";

/// Whether mediarig itself makes an entry of this name directly in the folder. The mark is not asked about.
using IsOwnEntry = std::function<bool(std::string_view name)>;

struct FolderRule {
    IsOwnEntry is_own;      ///< empty: any name
    std::string next_step;  ///< of a refusal: "set MEDIARIG_LAB_DIR to another folder"
    bool may_adopt{};       ///< a folder without a mark is accepted if all names in it are own ones
    bool others_may_read{}; ///< made with the rights that the umask leaves, not for this user alone
};

class OwnedFolder {
public:
    /// Makes the folder (not its parents), or opens one with the mark or an empty one. Fails with refused (a link or no
    /// folder, another user's, writable for others, without a mark, or it contains an entry that mediarig does not
    /// make), no_permission and io_failed.
    [[nodiscard]] static Result<OwnedFolder> make(const std::filesystem::path& folder, const FolderRule& rule);

    /// Open for reading, as long as this lives.
    [[nodiscard]] int descriptor() const { return folder_.get(); }

private:
    explicit OwnedFolder(Descriptor folder) : folder_(std::move(folder)) {}
    Descriptor folder_;
};

/// Writes the mark into a new folder. Fails with io_failed.
[[nodiscard]] Result<void> mark_folder(int folder, const std::filesystem::path& shown);
/// Whether `folder` contains the mark, a file of this user.
[[nodiscard]] bool is_marked(int folder);
[[nodiscard]] bool is_marked(const std::filesystem::path& folder);

/// Removes a marked folder with its contents; {} where there is none. Entries for which `is_own` is false, other users'
/// and mount points stay, and with them the folder and its mark. Fails with refused (no mark, a link, something
/// stays) and io_failed.
[[nodiscard]] Result<void> remove_owned_tree(const std::filesystem::path& folder, const IsOwnEntry& is_own = {});
/// The same of a folder that this process gave to `user` and that the user may have filled.
[[nodiscard]] Result<void> remove_given_tree(const std::filesystem::path& folder, uid_t user);
/// Removes a marked folder that contains nothing but the mark; otherwise changes nothing.
void remove_owned_if_empty(const std::filesystem::path& folder);
/// Removes the entries of an open marked folder for which `is_own` is true. The same failures.
[[nodiscard]] Result<void> empty_owned_folder(int folder, const std::filesystem::path& shown, const IsOwnEntry& is_own);

} // namespace mediarig
