// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/linux/work_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/fsuid.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "host/base/strict_open.hpp"
#include "host/workload/io/io_errors.hpp"
#include "host/workload/io/linux/file_tree.hpp"
#include "host/workload/io/linux/medium_file.hpp"
#include "host/workload/io/linux/on_heap.hpp"
#include "host/workload/io/work_names.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {
namespace {

constexpr std::uint32_t exfat_magic = 0x2011BAB0; // from the kernel's fs/exfat; linux/magic.h of Linux 6.1 lacks it
constexpr int most_names = 100;

/// The entries of an open directory except "." and ".."; empty if the directory cannot be read.
std::optional<std::vector<std::string>> entries_of(int directory) {
    // A new open file description is needed because the position in the listing belongs to it.
    const int fd = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return std::nullopt;
    const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(fd), ::closedir);
    if (!listing) {
        ::close(fd);
        return std::nullopt;
    }
    std::vector<std::string> names;
    for (;;) {
        errno = 0;
        const dirent* const entry = ::readdir(listing.get());
        if (!entry) break;
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
    }
    if (errno != 0) return std::nullopt;
    return names;
}

constexpr mode_t writable_by_others = S_IWGRP | S_IWOTH;
constexpr mode_t open_to_others = S_IRWXG | S_IRWXO;

/// Returns true if the open folder belongs to this thread's user and has none of the mode bits `too_much`.
bool ours_alone(int folder, const JobTarget& target, mode_t too_much) {
    if (target.own_mount) return true;
    struct stat info {};
    struct statfs system {};
    if (::fstat(folder, &info) != 0 || ::fstatfs(folder, &system) != 0) return false;
    // The kernel's FAT and exFAT have no links, and all files have one owner and mode: a user who can exchange a file
    // there can also write every other file.
    const auto magic = static_cast<std::uint32_t>(system.f_type);
    if (magic == MSDOS_SUPER_MAGIC || magic == exfat_magic) return true;
    // New files get the file-system identity of the thread, which may differ from that of the process. setfsuid(-1)
    // only returns this identity.
    const auto user = static_cast<uid_t>(::setfsuid(static_cast<uid_t>(-1)));
    return info.st_uid == user && (info.st_mode & too_much) == 0;
}

bool is_still(int parent, const std::string& name, int folder) {
    struct stat named {
    }, open{};
    return ::fstatat(parent, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 && ::fstat(folder, &open) == 0 &&
           named.st_dev == open.st_dev && named.st_ino == open.st_ino && S_ISDIR(named.st_mode);
}

/// Returns 0, or the errno of the first file or folder that could not be removed. `failing` is the time of failures so
/// far: a job may have thousands of files, and a dying medium may refuse the removal of each after half a minute.
int remove_job_files(int folder, std::chrono::nanoseconds& failing) {
    using Clock = std::chrono::steady_clock;
    const auto names = entries_of(folder);
    if (!names) return EIO;
    int first = 0;
    const auto keep = [&](int error) {
        if (first == 0) first = error;
    };
    for (const std::string& name : *names) {
        if (failing >= longest_failing) break;
        const auto start = Clock::now();
        const auto keep_timed = [&](int error) {
            keep(error);
            failing += Clock::now() - start;
        };
        if (is_job_file(name) && ::unlinkat(folder, name.c_str(), 0) != 0) keep_timed(errno);
        if (!is_job_folder(name)) continue;
        const Descriptor child(open_beneath(folder, name));
        if (!child)
            keep_timed(errno);
        else if (const int error = remove_job_files(child.get(), failing); error != 0)
            keep(error);
        else if (const auto emptied = Clock::now(); ::unlinkat(folder, name.c_str(), AT_REMOVEDIR) != 0) {
            keep(errno);
            failing += Clock::now() - emptied;
        }
    }
    return first;
}

/// Returns 0 or an errno; ESTALE if the name now belongs to another object.
int remove_folder(int parent, const std::string& name, int folder) {
    // FUSE is notified of a closed file after a delay. A file removed before that is kept under another name.
    std::chrono::nanoseconds failing{};
    for (int attempt = 0;; ++attempt) {
        if (const int error = remove_job_files(folder, failing); error != 0) return error;
        if (!is_still(parent, name, folder)) {
            struct stat info {};
            const bool gone = ::fstat(folder, &info) == 0 && info.st_nlink == 0;
            return gone ? 0 : ESTALE;
        }
        if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0) return 0;
        if (errno != ENOTEMPTY || attempt == 50) return errno;
        const auto left = entries_of(folder);
        if (left && !std::ranges::all_of(
                        *left, [](const std::string& each) { return is_job_file(each) || is_job_folder(each); }))
            return ENOTEMPTY;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

bool holds_only_job_files(int folder) {
    const auto names = entries_of(folder);
    return names && std::all_of(names->begin(), names->end(), [&](const std::string& name) {
               struct stat info {};
               if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return false;
               if (is_job_file(name)) return S_ISREG(info.st_mode);
               const Descriptor child(is_job_folder(name) ? open_beneath(folder, name) : -1);
               return child && holds_only_job_files(child.get());
           });
}

/// True if a new file in this folder gets more access than was requested: the file system stores no modes, e.g. NTFS or
/// exFAT in user space. On the kernel's FAT, too, users who can exchange a file there can write every other file as
/// well. The new file has the name of a job's file, so it is removed even after a kill.
bool stores_no_modes(int folder) {
    const std::string name(span_file);
    const Descriptor file(
        ::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!file) return false;
    struct stat info {};
    const bool open = ::fstat(file.get(), &info) == 0 && (info.st_mode & writable_by_others) != 0;
    return ::unlinkat(folder, name.c_str(), 0) == 0 && open;
}

enum class Modes : std::uint8_t { stored, not_stored };

void remove_ownerless(const JobTarget& target, Modes modes) {
    const auto names = entries_of(target.directory_fd);
    if (!names) return; // without a listing there is no clean-up; this only costs space, and the space is checked later
    for (const std::string& name : *names) {
        if (!name.starts_with(WorkFolder::prefix)) continue;
        const Descriptor folder(open_beneath(target.directory_fd, name));
        // The mode must be exactly the created one: a user's folder that happens to have such a name probably has
        // another mode.
        if (folder && (modes == Modes::not_stored || ours_alone(folder.get(), target, open_to_others)) &&
            ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0 && holds_only_job_files(folder.get()))
            (void)remove_folder(target.directory_fd, name, folder.get());
    }
}

Result<std::string> random_name() {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof(number), 0) != static_cast<ssize_t>(sizeof(number)))
        return fail(error_from(errno, "make a random name"));
    constexpr std::string_view digits = "0123456789abcdef";
    std::string name = WorkFolder::prefix;
    for (int i = 0; i < 16; ++i, number >>= 4) name += digits[number & 15];
    return name;
}

} // namespace

Result<Descriptor> open_directory(const std::string& path) {
    const std::string what = "create a folder in " + path;
    const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
    if (!real) return fail(error_from(errno, what));
    Descriptor directory(
        open_strictly(AT_FDCWD, real.get(), O_PATH | O_DIRECTORY, RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS));
    if (!directory) return fail(error_from(errno, what));
    return directory;
}

Result<LinuxWorkFolder> LinuxWorkFolder::create(const JobTarget& target) {
    const std::string what = "create a folder in " + target.path;
    remove_ownerless(target, Modes::stored);
    Descriptor parent(::fcntl(target.directory_fd, F_DUPFD_CLOEXEC, 3));
    if (!parent) return fail(error_from(errno, what));
    bool others_may_write = false;
    for (int attempt = 0; attempt < most_names; ++attempt) {
        const auto name = random_name();
        if (!name) return fail(name.error());
        if (::mkdirat(parent.get(), name->c_str(), S_IRWXU) != 0) {
            if (errno == EEXIST) continue;
            return fail(error_from(errno, what));
        }
        Descriptor folder(open_beneath(parent.get(), *name));
        if (!folder) continue; // replaced or removed since its creation; another job removes abandoned folders
        // On a file system without locks, a job that cleans up gets no lock either.
        const bool taken = ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        // The order matters: a folder that was locked before its name was checked is not removed afterwards by another
        // job.
        if (taken || !is_still(parent.get(), *name, folder.get())) continue;
        const bool alone = ours_alone(folder.get(), target, writable_by_others);
        const bool empty = entries_of(folder.get()) == std::vector<std::string>{};
        others_may_write = !alone && !(empty && stores_no_modes(folder.get()));
        if (!others_may_write && !alone) remove_ownerless(target, Modes::not_stored);
        if (!others_may_write && empty)
            return LinuxWorkFolder(std::move(parent), *name, std::move(folder), target.path + "/" + *name, !alone);
        // Succeeds only for an empty folder, and the new folder is empty.
        (void)::unlinkat(parent.get(), name->c_str(), AT_REMOVEDIR);
    }
    if (others_may_write)
        return fail(Errc::refused, "other users can write in folders that are created in " + target.path +
                                       ": mount it with your uid and umask=022, or choose another folder");
    return fail(Errc::io_failed, "cannot " + what + ": another process renames its entries; choose another folder");
}

std::optional<Bytes> largest_file_of(std::uint64_t magic) {
    if (magic != MSDOS_SUPER_MAGIC) return std::nullopt;
    return Bytes{std::numeric_limits<std::uint32_t>::max()};
}

Result<std::unique_ptr<MediumFile>> LinuxWorkFolder::create_file(const std::string& name, CachePolicy cache,
                                                                 SyncLevel sync) const {
    return on_heap<MediumFile>(LinuxMediumFile::create(folder_.get(), name, cache, sync));
}

Result<std::unique_ptr<MediumFile>> LinuxWorkFolder::open_file(const std::string& name, CachePolicy cache,
                                                               SyncLevel sync) const {
    return on_heap<MediumFile>(LinuxMediumFile::open_existing(folder_.get(), name, cache, sync));
}

Result<std::unique_ptr<FileTree>> LinuxWorkFolder::tree() const {
    Descriptor again(::fcntl(folder_.get(), F_DUPFD_CLOEXEC, 3));
    if (!again) return fail(error_from(errno, "open " + path_ + " once more"));
    return std::make_unique<LinuxFileTree>(std::move(again));
}

Result<Bytes> LinuxWorkFolder::free_space() const {
    struct statvfs info {};
    if (::fstatvfs(folder_.get(), &info) != 0) return fail(error_from(errno, "read the free space of " + path_));
    if (info.f_blocks == 0) return Bytes{std::numeric_limits<std::uint64_t>::max()};
    return Bytes{info.f_frsize} * info.f_bavail;
}

std::optional<std::uint64_t> LinuxWorkFolder::free_entries() const {
    struct statvfs info {};
    if (::fstatvfs(folder_.get(), &info) != 0 || info.f_files == 0) return std::nullopt;
    return info.f_favail;
}

Bytes LinuxWorkFolder::allocation_unit() const {
    struct statvfs info {};
    // If the size is unknown, use the block size of most file systems.
    return ::fstatvfs(folder_.get(), &info) == 0 && info.f_frsize > 0 ? Bytes{info.f_frsize} : 4_KiB;
}

std::optional<Bytes> LinuxWorkFolder::largest_file() const {
    struct statfs info {};
    if (::fstatfs(folder_.get(), &info) != 0) return std::nullopt;
    return largest_file_of(static_cast<std::uint64_t>(info.f_type));
}

Result<void> LinuxWorkFolder::remove() {
    if (removed_ || !folder_) return {};
    const int error = remove_folder(parent_.get(), name_, folder_.get());
    removed_ = error == 0;
    if (error == ENOTEMPTY)
        return fail(Errc::io_failed, "cannot remove " + path_ +
                                         ": it contains a file or folder that this job did not create; check its "
                                         "contents, then remove the folder");
    if (error == ESTALE)
        return fail(Errc::io_failed, path_ +
                                         " was renamed or replaced during the job: its test files are removed, the "
                                         "empty folder may be left under another name");
    if (error != 0) return fail(error_from(error, "remove the test files in " + path_));
    return {};
}

LinuxWorkFolder::~LinuxWorkFolder() {
    (void)remove(); // a caller that needs the result has already called remove()
}

} // namespace mediarig::workload
