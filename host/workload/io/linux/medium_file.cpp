// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/linux/medium_file.hpp"

#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "host/workload/io/io_errors.hpp"
#include "host/workload/io/linux/page_cache.hpp"
#include "host/workload/io/linux/pieces.hpp"

namespace mediarig::workload {
namespace {

constexpr long fuse_magic = 0x65735546; // FUSE_SUPER_MAGIC of the kernel's fs/fuse/inode.c

std::string proc_path(int fd) {
    return "/proc/self/fd/" + std::to_string(fd);
}

/// The current path of the folder, for the message.
Error cannot_open(int error, int folder, const std::string& name) {
    std::error_code unknown;
    const auto path =
        folder == AT_FDCWD ? std::filesystem::path() : std::filesystem::read_symlink(proc_path(folder), unknown);
    return error_from(error, "open " + (path / name).string());
}

} // namespace

int open_quietly(int folder, const char* name, int flags) {
    const int fd = ::openat(folder, name, flags | O_NOATIME, 0600);
    return fd >= 0 || errno != EPERM ? fd : ::openat(folder, name, flags, 0600);
}

int sync_flag(SyncLevel sync) {
    if (sync == SyncLevel::each_io_attributes) return O_SYNC;
    return sync == SyncLevel::each_io ? O_DSYNC : 0;
}

Result<LinuxMediumFile> LinuxMediumFile::open(int folder, const std::string& name, int flags, CachePolicy cache,
                                              SyncLevel sync) {
    flags |= O_RDWR | O_CLOEXEC | O_LARGEFILE | sync_flag(sync);
    if (cache == CachePolicy::direct) {
        const int fd = open_quietly(folder, name.c_str(), flags | O_DIRECT);
        if (fd >= 0) return LinuxMediumFile(fd, cache, sync, false);
        if (errno != EINVAL) return fail(cannot_open(errno, folder, name));
        // Linux creates the file before it checks O_DIRECT, so the file may exist now.
        flags &= ~O_EXCL;
    }
    const int fd = open_quietly(folder, name.c_str(), flags);
    if (fd < 0) return fail(cannot_open(errno, folder, name));
    const bool refused = cache == CachePolicy::direct;
    return LinuxMediumFile(fd, refused ? CachePolicy::dropped : cache, sync, refused);
}

Result<LinuxMediumFile> LinuxMediumFile::create(int folder, const std::string& name, CachePolicy cache,
                                                SyncLevel sync) {
    return open(folder, name, O_CREAT | O_EXCL | O_NOFOLLOW, cache, sync);
}

Result<LinuxMediumFile> LinuxMediumFile::open_existing(int folder, const std::string& name, CachePolicy cache,
                                                       SyncLevel sync) {
    return open(folder, name, O_NOFOLLOW, cache, sync);
}

Result<LinuxMediumFile> LinuxMediumFile::reopen(int fd, CachePolicy cache, SyncLevel sync) {
    return open(AT_FDCWD, proc_path(fd), 0, cache, sync);
}

Result<void> LinuxMediumFile::disable_direct() {
    Descriptor file(
        open_quietly(AT_FDCWD, proc_path(file_.get()).c_str(), O_RDWR | O_CLOEXEC | O_LARGEFILE | sync_flag(sync_)));
    if (!file) return fail(error_from(errno, "open the test file without O_DIRECT"));
    file_.close();
    file_ = std::move(file);
    used_ = CachePolicy::dropped;
    direct_refused_ = true;
    return {};
}

Result<Bytes> LinuxMediumFile::size() const {
    struct stat info {};
    if (::fstat(file_.get(), &info) != 0) return fail(error_from(errno, "read the size of the test file"));
    if (!S_ISBLK(info.st_mode)) return Bytes{static_cast<std::uint64_t>(info.st_size)};
    std::uint64_t bytes = 0;
    if (::ioctl(file_.get(), BLKGETSIZE64, &bytes) != 0) return fail(error_from(errno, "read the size of the device"));
    return Bytes{bytes};
}

bool LinuxMediumFile::served_by_user_space() const {
    struct statfs info {};
    return ::fstatfs(file_.get(), &info) == 0 && static_cast<long>(info.f_type) == fuse_magic;
}

std::optional<Bytes> LinuxMediumFile::place() const {
    struct stat info {};
    if (::fstat(file_.get(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    // Space for the header of the kernel's reply and one extent after it.
    alignas(struct fiemap) std::array<char, sizeof(struct fiemap) + sizeof(struct fiemap_extent)> answer{};
    auto* const map = reinterpret_cast<struct fiemap*>(answer.data()); // NOLINT(*-reinterpret-cast)
    map->fm_length = FIEMAP_MAX_OFFSET;
    map->fm_extent_count = 1;
    constexpr std::uint32_t nowhere =
        FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_DATA_INLINE;
    if (::ioctl(file_.get(), FS_IOC_FIEMAP, map) == 0) {
        const struct fiemap_extent& first = map->fm_extents[0];
        if (map->fm_mapped_extents == 0 || (first.fe_flags & nowhere) != 0) return std::nullopt;
        return Bytes{first.fe_physical};
    }
    // FAT, exFAT and HFS+ support only the older FIBMAP. Block 0 is a hole.
    int block = 0, block_size = 0;
    if (::ioctl(file_.get(), FIGETBSZ, &block_size) != 0 || ::ioctl(file_.get(), FIBMAP, &block) != 0 || block <= 0)
        return std::nullopt;
    return Bytes{static_cast<std::uint64_t>(block) * static_cast<std::uint64_t>(block_size)};
}

TransferResult LinuxMediumFile::write(std::span<const std::byte> bytes, std::uint64_t offset) {
    if (mapping_) return mapping_->write(bytes, offset);
    TransferResult moved;
    while (moved.bytes < bytes.size()) {
        const auto rest = bytes.subspan(moved.bytes);
        const ssize_t n = ::pwrite(file_.get(), rest.data(), rest.size(), static_cast<off_t>(offset + moved.bytes));
        if (n > 0) {
            moved.bytes += static_cast<std::size_t>(n);
        } else if (n == 0 || errno != EINTR) {
            moved.error = n == 0 ? EIO : errno;
            break;
        }
    }
    return moved;
}

TransferResult LinuxMediumFile::read(std::span<std::byte> bytes, std::uint64_t offset) {
    if (mapping_) return mapping_->read(bytes, offset);
    TransferResult moved;
    while (moved.bytes < bytes.size()) {
        const auto rest = bytes.subspan(moved.bytes);
        const ssize_t n = ::pread(file_.get(), rest.data(), rest.size(), static_cast<off_t>(offset + moved.bytes));
        if (n > 0) {
            moved.bytes += static_cast<std::size_t>(n);
        } else if (n == 0) {
            break;
        } else if (errno != EINTR) {
            moved.error = errno;
            break;
        }
    }
    return moved;
}

int LinuxMediumFile::truncate() {
    struct stat info {};
    if (::fstat(file_.get(), &info) != 0) return errno;
    return !S_ISREG(info.st_mode) || ::ftruncate(file_.get(), 0) == 0 ? 0 : errno;
}

int LinuxMediumFile::flush() const {
    if (mapping_) return mapping_->flush();
    return ::fdatasync(file_.get()) == 0 ? 0 : errno;
}

int LinuxMediumFile::flush_attributes() const {
    if (mapping_) return mapping_->flush();
    return ::fsync(file_.get()) == 0 ? 0 : errno;
}

int LinuxMediumFile::map(Bytes length) {
    const auto has = size();
    if (!has) return EIO;
    if (*has < length && ::ftruncate(file_.get(), static_cast<off_t>(length.count)) != 0) return errno;
    mapping_ = Mapping::of(file_.get(), length);
    return mapping_ ? 0 : errno;
}

std::optional<std::uint64_t> LinuxMediumFile::pieces() const {
    return pieces_of(file_.get());
}

CacheDrop LinuxMediumFile::drop_cache(Bytes size) const {
    return drop_page_cache(file_.get(), size);
}

void LinuxMediumFile::expect_random() const {
    (void)::posix_fadvise(file_.get(), 0, 0, POSIX_FADV_RANDOM);
}

int LinuxMediumFile::forget(std::uint64_t offset, Bytes length) const {
    return ::posix_fadvise(file_.get(), static_cast<off_t>(offset), static_cast<off_t>(length.count),
                           POSIX_FADV_DONTNEED);
}

} // namespace mediarig::workload
