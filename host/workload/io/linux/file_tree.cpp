// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/linux/file_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>

#include "host/base/strict_open.hpp"
#include "host/workload/io/linux/medium_file.hpp"

namespace mediarig::workload {
namespace {

/// Layout of getdents64(2). glibc declares the structure only together with the buffer of readdir(3).
struct Entry {
    std::uint64_t inode;
    std::int64_t next;
    std::uint16_t length;
    std::uint8_t type;
    char name[1];
};

/// Limits the depth, because each level holds a buffer. The tree of a job is never so deep.
constexpr unsigned deepest = 16;
constexpr std::size_t listing_size = 32768;

int error_of(int result) {
    return result == 0 ? 0 : errno;
}

void add(FileTree::Contents& sum, const FileTree::Contents& part) {
    sum.files += part.files;
    sum.folders += part.folders;
    sum.bytes += part.bytes;
    if (sum.error == 0) sum.error = part.error;
}

FileTree::Contents walk_below(int folder, unsigned depth);

/// The folder is opened before its attributes are read by descriptor, so its name is looked up only once.
void take_folder(int folder, const char* name, unsigned depth, FileTree::Contents& contents) {
    const Descriptor child(open_quietly(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat attributes {};
    if (!child || ::fstat(child.get(), &attributes) != 0) {
        if (contents.error == 0) contents.error = errno;
        return;
    }
    ++contents.folders;
    if (depth == deepest)
        contents.error = ELOOP;
    else
        add(contents, walk_below(child.get(), depth + 1));
}

bool is_folder_itself_or_parent(const char* name) {
    return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

void take_entry(int folder, const Entry& entry, unsigned depth, FileTree::Contents& contents) {
    if (is_folder_itself_or_parent(entry.name)) return;
    if (entry.type == DT_DIR) return take_folder(folder, entry.name, depth, contents);
    // Not statx(): the kernel needs a twelfth more time to fill in fields that are not used here.
    struct stat attributes {};
    if (::fstatat(folder, entry.name, &attributes, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) != 0) {
        if (contents.error == 0) contents.error = errno;
        return;
    }
    // For an entry whose type the folder listing did not contain.
    if (S_ISDIR(attributes.st_mode)) return take_folder(folder, entry.name, depth, contents);
    ++contents.files;
    contents.bytes += Bytes{static_cast<std::uint64_t>(attributes.st_size)};
}

FileTree::Contents walk_below(int folder, unsigned depth) {
    FileTree::Contents contents;
    alignas(Entry) std::array<char, listing_size> listing;
    for (;;) {
        const long length = ::syscall(SYS_getdents64, folder, listing.data(), listing.size());
        if (length < 0 && contents.error == 0) contents.error = errno;
        if (length <= 0) return contents;
        bool ends = false;
        for (long at = 0; at < length;) {
            const auto& entry = *reinterpret_cast<const Entry*>(listing.data() + at);
            take_entry(folder, entry, depth, contents);
            at += entry.length;
            ends = entry.next == std::numeric_limits<std::int64_t>::max();
        }
        if (ends) return contents; // no entry can follow the largest offset, so the final system call is unnecessary
    }
}

FileTree::OpenedFolder opened(int folder, const std::string& path) {
    Descriptor child(open_beneath(folder, path));
    if (!child) return {.folder = nullptr, .error = errno};
    return {.folder = std::make_unique<LinuxFileTree>(std::move(child)), .error = 0};
}

FileTree::OpenedFile as_opened(int fd, SyncLevel sync) {
    if (fd < 0) return {.file = nullptr, .error = errno};
    return {.file = std::make_unique<LinuxMediumFile>(LinuxMediumFile::around(fd, CachePolicy::dropped, sync)),
            .error = 0};
}

} // namespace

int LinuxFileTree::make_folder(const std::string& name) const {
    return error_of(::mkdirat(folder_.get(), name.c_str(), S_IRWXU));
}

FileTree::OpenedFolder LinuxFileTree::open_folder(const std::string& path) const {
    return opened(folder_.get(), path);
}

FileTree::OpenedFile LinuxFileTree::create(const std::string& name, SyncLevel sync) const {
    constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    return as_opened(::openat(folder_.get(), name.c_str(), flags | sync_flag(sync), 0600), sync);
}

FileTree::OpenedFile LinuxFileTree::open(const std::string& name) const {
    return as_opened(::openat(folder_.get(), name.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC), SyncLevel::none);
}

int LinuxFileTree::ask_attributes(const std::string& name) const {
    struct statx attributes {};
    return error_of(::statx(folder_.get(), name.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &attributes));
}

int LinuxFileTree::rename(const std::string& from, const std::string& to) const {
    return error_of(::renameat(folder_.get(), from.c_str(), folder_.get(), to.c_str()));
}

int LinuxFileTree::remove(const std::string& name) const {
    return error_of(::unlinkat(folder_.get(), name.c_str(), 0));
}

int LinuxFileTree::remove_folder(const std::string& name) const {
    return error_of(::unlinkat(folder_.get(), name.c_str(), AT_REMOVEDIR));
}

int LinuxFileTree::flush() const {
    return error_of(::syncfs(folder_.get()));
}

int LinuxFileTree::list(const std::function<bool(const std::string& name)>& each) const {
    const Descriptor again(open_quietly(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!again) return errno;
    alignas(Entry) std::array<char, listing_size> listing;
    for (;;) {
        const long length = ::syscall(SYS_getdents64, again.get(), listing.data(), listing.size());
        if (length <= 0) return length == 0 ? 0 : errno;
        for (long at = 0; at < length;) {
            const auto& entry = *reinterpret_cast<const Entry*>(listing.data() + at);
            at += entry.length;
            const std::string_view name = entry.name;
            if (name != "." && name != ".." && !each(std::string(name))) return 0;
        }
    }
}

FileTree::Contents LinuxFileTree::walk() const {
    const Descriptor again(open_quietly(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!again) return {.files = 0, .folders = 0, .bytes = {}, .error = errno};
    return walk_below(again.get(), 0);
}

} // namespace mediarig::workload
