// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/owned_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "host/base/strict_open.hpp"

namespace mediarig {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_line_of_mark = "mediarig made this folder and deletes it with its contents\n";
/// The recursion keeps one descriptor open for each level. The deepest tree that mediarig makes is an unpacked package,
/// with fewer than 20 levels.
constexpr unsigned most_levels = 128;
constexpr mode_t for_others = S_IRWXG | S_IRWXO, writable_for_others = S_IWGRP | S_IWOTH;

struct Parent {
    Descriptor folder;
    std::string name; ///< name of the child
};

/// Splits a path. The paths "x/" and "x" name the same child.
Result<Parent> parent_of(const fs::path& path) {
    fs::path whole = path.lexically_normal();
    if (whole.filename().empty()) whole = whole.parent_path();
    const std::string name = whole.filename().string();
    if (name.empty() || name == "." || name == "..")
        return fail(Errc::refused,
                    fmt::format("'{}' does not name a folder that mediarig could have made", path.string()));
    const fs::path above = whole.has_parent_path() ? whole.parent_path() : fs::path(".");
    Descriptor folder(::open(above.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (folder) return Parent{std::move(folder), name};
    const Errc code = errno == EACCES || errno == EPERM ? Errc::no_permission : Errc::io_failed;
    return fail(code, fmt::format("cannot open {}: {}", above.string(), std::strerror(errno)));
}

bool same(const struct stat& one, const struct stat& other) {
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/// Names of the entries, without "." and "..".
Result<std::vector<std::string>> entries_of(int folder, const fs::path& shown) {
    const auto cannot = [&] {
        return fail(Errc::io_failed, fmt::format("cannot read {}: {}", shown.string(), std::strerror(errno)));
    };
    Descriptor again(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!again) return cannot();
    const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(again.get()), &::closedir);
    if (!listing) return cannot();
    (void)again.release();
    std::vector<std::string> names;
    while (true) {
        errno = 0;
        const dirent* const entry = ::readdir(listing.get()); // NOLINT(concurrency-mt-unsafe): not shared
        if (entry == nullptr && errno != 0) return cannot();
        if (entry == nullptr) return names;
        if (std::string_view name = entry->d_name; name != "." && name != "..") names.emplace_back(name);
    }
}

auto stays(const fs::path& what, std::string_view why) {
    return fail(Errc::refused, fmt::format("{} was not removed: {}", what.string(), why));
}

/// Users whose entries may be removed.
struct Owners {
    uid_t user = ::geteuid();
    uid_t other = user;
    [[nodiscard]] bool contain(uid_t owner) const { return owner == user || owner == other; }
};

Result<void> remove_entry(int parent, const std::string& name, const fs::path& shown, const Owners& owners,
                          unsigned level);

/// Removes as much as possible; returns the failure of the first entry that remains.
Result<void> remove_entries(int folder, const std::vector<std::string>& names, const fs::path& shown,
                            const Owners& owners, unsigned level) {
    Result<void> first;
    for (const std::string& name : names)
        if (auto removed = remove_entry(folder, name, shown / name, owners, level); !removed && first) first = removed;
    return first;
}

Result<void> remove_entry(int parent, const std::string& name, const fs::path& shown, const Owners& owners,
                          unsigned level) {
    struct stat status {};
    if (::fstatat(parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? Result<void>{} : Result<void>(stays(shown, std::strerror(errno)));
    if (!owners.contain(status.st_uid)) return stays(shown, "another user owns it");
    if (S_ISDIR(status.st_mode)) {
        if (level >= most_levels) return stays(shown, "the folders are nested too deeply");
        const Descriptor folder(open_beneath(parent, name));
        if (!folder) return stays(shown, errno == EXDEV ? "a file system is mounted there" : std::strerror(errno));
        const auto names = entries_of(folder.get(), shown);
        if (!names) return fail(names.error());
        if (auto emptied = remove_entries(folder.get(), *names, shown, owners, level + 1); !emptied) return emptied;
    }
    if (::unlinkat(parent, name.c_str(), S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0) == 0 || errno == ENOENT) return {};
    return stays(shown, std::strerror(errno));
}

/// If `may_be_unfinished`, also accepts an empty mark: a process may have been killed between creating and writing it.
bool contains_mark(int folder, bool may_be_unfinished) {
    const Descriptor mark(
        ::openat(folder, std::string(folder_mark).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    if (!mark || ::fstat(mark.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid())
        return false;
    std::array<char, first_line_of_mark.size()> text{};
    const ssize_t got = ::read(mark.get(), text.data(), text.size());
    if (got == 0) return may_be_unfinished;
    return got == static_cast<ssize_t>(text.size()) && std::string_view(text.data(), text.size()) == first_line_of_mark;
}

Result<void> check_contents(int folder, const fs::path& shown, const FolderRule& rule) {
    const auto names = entries_of(folder, shown);
    if (!names) return fail(names.error());
    const auto foreign = std::ranges::find_if(
        *names, [&](const std::string& name) { return name != folder_mark && rule.is_own && !rule.is_own(name); });
    if (foreign != names->end())
        return fail(Errc::refused, fmt::format("{} contains {}, which mediarig did not make: move it elsewhere, or {}",
                                               shown.string(), *foreign, rule.next_step));
    const bool has_only_the_mark = names->empty() || (names->size() == 1 && names->front() == folder_mark);
    if (contains_mark(folder, has_only_the_mark) || names->empty()) return {};
    if (rule.may_adopt && std::ranges::find(*names, folder_mark) == names->end()) return {};
    return fail(Errc::refused, fmt::format("{} is not empty and was not made by mediarig: move it elsewhere, or {}",
                                           shown.string(), rule.next_step));
}

Result<void> empty_folder(int folder, const fs::path& shown, const IsOwnEntry& is_own, const Owners& owners) {
    if (!is_marked(folder)) return stays(shown, "mediarig did not make it");
    auto names = entries_of(folder, shown);
    if (!names) return fail(names.error());
    std::erase_if(*names, [&](const std::string& name) { return name == folder_mark || (is_own && !is_own(name)); });
    return remove_entries(folder, *names, shown, owners, 1);
}

Result<void> remove_tree(const fs::path& folder, const IsOwnEntry& is_own, const Owners& owners) {
    std::error_code unknown;
    if (!fs::exists(fs::symlink_status(folder, unknown))) return {};
    const auto parent = parent_of(folder);
    if (!parent) return fail(parent.error());
    const char* const name = parent->name.c_str();
    const Descriptor opened(open_beneath(parent->folder.get(), parent->name));
    struct stat status {
    }, now{};
    if (!opened || ::fstat(opened.get(), &status) != 0)
        return stays(folder, errno == EXDEV ? "a file system is mounted there" : std::strerror(errno));
    if (!owners.contain(status.st_uid)) return stays(folder, "another user owns it");
    if (auto emptied = empty_folder(opened.get(), folder, is_own, owners); !emptied) return emptied;
    const auto left = entries_of(opened.get(), folder);
    if (!left) return fail(left.error());
    for (const std::string& entry : *left)
        if (entry != folder_mark) return stays(folder, fmt::format("mediarig did not make {} in it", entry));
    // The name may refer to another folder now, whose mark must not be removed.
    if (::fstatat(parent->folder.get(), name, &now, AT_SYMLINK_NOFOLLOW) != 0 || !same(status, now))
        return stays(folder, "it was replaced by another folder");
    if (::unlinkat(opened.get(), std::string(folder_mark).c_str(), 0) == 0 &&
        ::unlinkat(parent->folder.get(), name, AT_REMOVEDIR) == 0)
        return {};
    return stays(folder, std::strerror(errno));
}

} // namespace

bool is_marked(int folder) {
    return contains_mark(folder, false);
}

bool is_marked(const fs::path& folder) {
    const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    return opened && is_marked(opened.get());
}

Result<void> mark_folder(int folder, const fs::path& shown) {
    if (is_marked(folder)) return {};
    const Descriptor mark(::openat(folder, std::string(folder_mark).c_str(),
                                   O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    const auto length = static_cast<ssize_t>(first_line_of_mark.size());
    if (mark && ::write(mark.get(), first_line_of_mark.data(), first_line_of_mark.size()) == length) return {};
    const Errc code = errno == EACCES || errno == EROFS ? Errc::no_permission : Errc::io_failed;
    return fail(code, fmt::format("cannot write {}: {}", (shown / folder_mark).string(), std::strerror(errno)));
}

Result<OwnedFolder> OwnedFolder::make(const fs::path& folder, const FolderRule& rule) {
    const auto parent = parent_of(folder);
    if (!parent) return fail(parent.error());
    const char* const name = parent->name.c_str();
    struct stat above {};
    if (::fstat(parent->folder.get(), &above) == 0 && (above.st_mode & S_IWOTH) != 0 && (above.st_mode & S_ISVTX) == 0)
        return fail(Errc::refused,
                    fmt::format("every user may rename the entries of {}: remove that permission (chmod o-w), or {}",
                                folder.parent_path().string(), rule.next_step));
    if (::mkdirat(parent->folder.get(), name, rule.others_may_read ? S_IRWXU | for_others : S_IRWXU) != 0 &&
        errno != EEXIST) {
        const Errc code = errno == EACCES || errno == EROFS ? Errc::no_permission : Errc::io_failed;
        return fail(code, fmt::format("cannot make {}: {}", folder.string(), std::strerror(errno)));
    }
    Descriptor opened(::openat(parent->folder.get(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    // In /tmp another user may have made the folder first.
    if (!opened || ::fstat(opened.get(), &status) != 0 || status.st_uid != ::geteuid() ||
        (status.st_mode & (rule.others_may_read ? writable_for_others : for_others)) != 0)
        return fail(Errc::refused,
                    fmt::format("{} is not a folder of mediarig that only this user can {}: {}", folder.string(),
                                rule.others_may_read ? "write to" : "enter", rule.next_step));
    if (auto contents = check_contents(opened.get(), folder, rule); !contents) return fail(contents.error());
    if (auto marked = mark_folder(opened.get(), folder); !marked) return fail(marked.error());
    return OwnedFolder(std::move(opened));
}

Result<void> empty_owned_folder(int folder, const fs::path& shown, const IsOwnEntry& is_own) {
    return empty_folder(folder, shown, is_own, {});
}

Result<void> remove_owned_tree(const fs::path& folder, const IsOwnEntry& is_own) {
    return remove_tree(folder, is_own, {});
}

Result<void> remove_given_tree(const fs::path& folder, uid_t user) {
    return remove_tree(folder, {}, {.other = user});
}

void remove_owned_if_empty(const fs::path& folder) {
    (void)remove_owned_tree(folder, [](std::string_view) { return false; });
}

} // namespace mediarig
