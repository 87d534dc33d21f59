// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/linux/backing_device.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <system_error>
#include <utility>

#include "host/base/free_space.hpp"
#include "host/workload/io/io_errors.hpp"
#include "host/workload/io/linux/page_cache.hpp"
#include "host/workload/io/platform/buffer.hpp"

namespace mediarig::workload {
namespace {

/// Unit of the counters in sysfs, independent of the device's sector size (Documentation/block/stat.rst of the kernel).
constexpr Bytes counter_unit{512};

std::optional<dev_t> number_of(const JobTarget& target) {
    struct stat info {};
    if (target.kind == JobTarget::Kind::device) {
        if (::fstat(target.device_fd, &info) != 0) return std::nullopt;
        return S_ISBLK(info.st_mode) ? info.st_rdev : info.st_dev;
    }
    if (::fstat(target.backing_fd, &info) == 0 && S_ISBLK(info.st_mode)) return info.st_rdev;
    const int directory = target.directory_fd;
    const bool open = directory >= 0;
    if (::fstatat(open ? directory : AT_FDCWD, open ? "" : target.path.c_str(), &info, open ? AT_EMPTY_PATH : 0) != 0)
        return std::nullopt;
    return info.st_dev;
}

/// Reads "DEVNAME=loop5" from sysfs, because not every system has the links of udev.
std::string node_of(const std::string& sysfs_entry) {
    std::ifstream file(sysfs_entry + "/uevent");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("DEVNAME=")) return "/dev/" + line.substr(line.find('=') + 1);
    return {};
}

/// Opens the device only if it has the expected number: the name may belong to another device by now.
Descriptor open_for_reading(const std::string& node, dev_t number) {
    Descriptor device(::open(node.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    struct stat info {};
    const bool same = device && ::fstat(device.get(), &info) == 0 && S_ISBLK(info.st_mode) && info.st_rdev == number;
    return same ? std::move(device) : Descriptor();
}

int write_back(int device) {
    return ::fsync(device) == 0 ? 0 : errno;
}

bool write_back_and_empty(int device) {
    const bool written = write_back(device) == 0;
    // BLKFLSBUF needs privilege. posix_fadvise() has the same effect on clean pages and needs none.
    const bool advised = ::posix_fadvise(device, 0, 0, POSIX_FADV_DONTNEED) == 0;
    const bool flushed = ::ioctl(device, BLKFLSBUF, 0) == 0;
    return written && (advised || flushed);
}

/// Memory file systems store a file in its page cache, so the cache cannot hide any storage below it.
bool is_in_memory(const struct statfs& info) {
    const auto magic = static_cast<std::uint32_t>(info.f_type);
    return magic == TMPFS_MAGIC || magic == RAMFS_MAGIC;
}

bool stored_in_memory(int file) {
    struct statfs info {};
    return ::fstatfs(file, &info) == 0 && is_in_memory(info);
}

bool stored_in_memory(const std::string& path) {
    struct statfs info {};
    return ::statfs(path.c_str(), &info) == 0 && is_in_memory(info);
}

std::optional<Bytes> size_of(int file) {
    struct stat info {};
    if (::fstat(file, &info) != 0) return std::nullopt;
    if (!S_ISBLK(info.st_mode)) return Bytes{static_cast<std::uint64_t>(info.st_size)};
    std::uint64_t bytes = 0;
    if (::ioctl(file, BLKGETSIZE64, &bytes) != 0) return std::nullopt;
    return Bytes{bytes};
}

std::string memory_file_system(const JobTarget& target) {
    const Descriptor opened = target.directory_fd < 0
                                  ? Descriptor(::open(target.path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC))
                                  : Descriptor();
    struct statfs info {};
    if (::fstatfs(opened ? opened.get() : static_cast<int>(target.directory_fd), &info) != 0) return {};
    const auto magic = static_cast<std::uint32_t>(info.f_type);
    return magic == TMPFS_MAGIC ? "tmpfs" : magic == RAMFS_MAGIC ? "ramfs" : "";
}

std::string line_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

/// Limit against a loop of links in sysfs.
constexpr int deepest_stack = 16;

/// The reason why the speeds of a device are those of this host: a property of the device or of a device below it.
struct HostProperty {
    std::string text{}; ///< empty if no such property is known
    bool caches{};      ///< this host caches a storage that is not in its memory
};

/// `entry`: the folder of the device or partition in sysfs.
HostProperty host_property_of(const std::filesystem::path& entry, int depth = 0) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    fs::path disk = fs::canonical(entry, ignored);
    if (ignored || depth > deepest_stack) return {};
    if (fs::exists(disk / "partition", ignored)) disk = disk.parent_path();
    const std::string name = disk.filename().string();
    if (name.starts_with("zram") || name.starts_with("ram") || name.starts_with("pmem"))
        return {.text = "/dev/" + name + ", which is in the memory of this host"};
    if (const std::string file = line_of(disk / "loop/backing_file");
        !file.empty() && line_of(disk / "loop/dio") != "1")
        return {.text = fmt::format("/dev/{}, whose file {} this host caches", name, file),
                .caches = !stored_in_memory(file)};
    for (const fs::directory_entry& below : fs::directory_iterator(disk / "slaves", ignored))
        if (HostProperty property = host_property_of(below.path(), depth + 1); !property.text.empty()) return property;
    return {};
}

BackingDevice::HostCache host_cache_of(const JobTarget& target) {
    switch (target.host_cache) {
        case JobTarget::HostCache::none:
            break;
        case JobTarget::HostCache::file:
            if (target.host_file < 0) return BackingDevice::HostCache::unknown;
            return stored_in_memory(target.host_file) ? BackingDevice::HostCache::none
                                                      : BackingDevice::HostCache::of_file;
        case JobTarget::HostCache::unknown:
            return BackingDevice::HostCache::unknown;
    }
    return BackingDevice::HostCache::none;
}

} // namespace

namespace {

constexpr std::size_t probed_length = TransferBuffer::alignment; // a multiple of every sector size

/// Opens the object of `file` a second time, without the page cache if possible. Opening makes the kernel check the
/// medium.
Descriptor open_again(int file) {
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    constexpr int flags = O_RDONLY | O_CLOEXEC; // with O_NONBLOCK, a reader would open without its card
    Descriptor opened(::open(path.c_str(), flags | O_DIRECT));
    if (!opened && errno == EINVAL) opened = Descriptor(::open(path.c_str(), flags));
    return opened;
}

bool reads_at(int file, std::span<std::byte> buffer, std::uint64_t offset) {
    const auto at = static_cast<off_t>(offset);
    // Has an effect only on a descriptor without O_DIRECT.
    (void)::posix_fadvise(file, at, static_cast<off_t>(buffer.size()), POSIX_FADV_DONTNEED);
    return ::pread(file, buffer.data(), buffer.size(), at) > 0;
}

} // namespace

LinuxBackingDevice::LinuxBackingDevice(const JobTarget& target)
    : BackingDevice(host_cache_of(target), target.host_path),
      host_file_(target.host_file),
      node_(target.backing_device),
      fd_(target.backing_fd),
      partition_fd_(target.partition_fd),
      medium_fd_(target.kind == JobTarget::Kind::device ? target.device_fd : target.backing_fd) {}

LinuxBackingDevice LinuxBackingDevice::of(const JobTarget& target, std::string sysfs) {
    LinuxBackingDevice device(target);
    device.of_directory_ = target.kind == JobTarget::Kind::directory && target.host_file < 0 &&
                           target.host_cache == JobTarget::HostCache::none && !target.own_mount;
    if (device.of_directory_) device.in_memory_ = memory_file_system(target);
    if (const auto number = number_of(target)) {
        std::string entry =
            std::move(sysfs) + "/" + std::to_string(major(*number)) + ":" + std::to_string(minor(*number));
        struct stat info {};
        if (::stat(entry.c_str(), &info) == 0) device.sysfs_entry_ = std::move(entry);
        if (const std::string node = node_of(device.sysfs_entry_);
            device.fd_ < 0 && target.kind == JobTarget::Kind::directory && !node.empty())
            if (device.found_ = open_for_reading(node, *number); device.found_) {
                device.fd_ = device.found_.get();
                device.medium_fd_ = device.found_.get();
                device.node_ = node;
            }
    }
    if (device.medium_fd_ >= 0) device.size_ = size_of(device.medium_fd_);
    device.sequence_ = device.sequence();
    return device;
}

std::optional<BackingDevice::Totals> LinuxBackingDevice::totals() const {
    if (sysfs_entry_.empty()) return std::nullopt;
    std::ifstream file(sysfs_entry_ + "/stat");
    std::uint64_t reads = 0, merged_reads = 0, sectors_read = 0, ms_reading = 0;
    std::uint64_t writes = 0, merged_writes = 0, sectors_written = 0;
    if (!(file >> reads >> merged_reads >> sectors_read >> ms_reading >> writes >> merged_writes >> sectors_written))
        return std::nullopt;
    return Totals{counter_unit * sectors_read, counter_unit * sectors_written};
}

std::optional<BackingDevice::Sectors> LinuxBackingDevice::sectors() const {
    if (sysfs_entry_.empty()) return std::nullopt;
    for (const char* queue : {"/queue/", "/../queue/"}) { // a partition shares the queue of its disk
        std::ifstream logical_file(sysfs_entry_ + queue + "logical_block_size");
        std::ifstream physical_file(sysfs_entry_ + queue + "physical_block_size");
        std::uint64_t logical = 0, physical = 0;
        if (logical_file >> logical && physical_file >> physical) return Sectors{{logical}, {physical}};
    }
    return std::nullopt;
}

bool LinuxBackingDevice::gone() const {
    if (sysfs_entry_.empty()) return false;
    std::ifstream file(sysfs_entry_ + "/size");
    std::uint64_t sectors = 0;
    return !(file >> sectors) || sectors == 0;
}

std::string LinuxBackingDevice::sequence() const {
    std::string number;
    if (sysfs_entry_.empty()) return number;
    std::ifstream file(sysfs_entry_ + "/diskseq"); // a partition has none
    file >> number;
    return number;
}

bool LinuxBackingDevice::responds() const {
    if (gone()) return false;
    if (medium_fd_ < 0 || !size_ || size_->count < probed_length) return true;
    const Descriptor again = open_again(medium_fd_);
    // Without the right to open the device, only the transfers themselves are evidence.
    if (!again) return !says_gone(errno) && errno != EIO;
    if (size_of(again.get()) != size_ || sequence() != sequence_) return false;
    if (host_caches()) (void)drop_host_cache(); // the cache would answer for a medium that is gone
    auto buffer = TransferBuffer::allocate(probed_length);
    if (!buffer) return true;
    // A medium with one bad place is not gone if it answers at other places.
    const Bytes last = align_down(*size_ - Bytes{probed_length}, Bytes{probed_length});
    const std::array places{0_B, align_down(Bytes{last.count / 2}, Bytes{probed_length}), last,
                            align_down(Bytes{last.count / 4}, Bytes{probed_length})};
    return std::ranges::any_of(places,
                               [&](Bytes place) { return reads_at(again.get(), buffer->bytes(), place.count); });
}

// Flush the partition first: its dirty pages go to the device below.
int LinuxBackingDevice::flush() const {
    if (const int error = partition_fd_ < 0 ? 0 : write_back(partition_fd_); error != 0) return error;
    return write_back(fd_);
}

bool LinuxBackingDevice::flush_and_drop() const {
    return (partition_fd_ < 0 || write_back_and_empty(partition_fd_)) && write_back_and_empty(fd_);
}

bool LinuxBackingDevice::drop_host_cache() const {
    if (host_cache() != HostCache::of_file) return host_cache() == HostCache::none;
    const auto size = size_of(host_file_);
    return size && drop_page_cache(host_file_, *size).verified();
}

std::optional<measure::Finding> LinuxBackingDevice::finding_about_directory() const {
    if (!of_directory_) return std::nullopt;
    std::string where = in_memory_.empty() ? "" : in_memory_ + ", which is in the memory of this host";
    if (where.empty() && !sysfs_entry_.empty()) where = host_property_of(sysfs_entry_).text;
    if (where.empty()) return std::nullopt;
    return measure::Finding{.kind = measure::FindingKind::cache_suspected,
                            .severity = measure::Severity::warning,
                            .detail = "the directory is on " + where +
                                      ": speeds are those of this host and not of a medium; name a directory on the "
                                      "medium, or attach the file with direct I/O (losetup --direct-io=on)",
                            .offset = {}};
}

std::optional<measure::Finding> LinuxBackingDevice::finding_about_directory_read_back(bool emptied, bool served) const {
    if (!of_directory_ || !in_memory_.empty()) return std::nullopt;
    std::string reason;
    if (const HostProperty property = sysfs_entry_.empty() ? HostProperty{} : host_property_of(sysfs_entry_);
        property.caches)
        reason = "the directory is on " + property.text +
                 ": data that was read back may come from memory; attach the file with direct I/O (losetup "
                 "--direct-io=on), or test the medium that contains it";
    else if (served && !known())
        reason =
            "the file system of the directory is served by a process (FUSE) and its device is unknown, so data that "
            "was read back may come from memory; test the medium on its own device node";
    else if (!emptied)
        reason =
            "the page cache of the directory could not be emptied, so data that was read back may come from memory; "
            "test the medium on its own device node";
    if (reason.empty()) return std::nullopt;
    return measure::Finding{.kind = measure::FindingKind::capacity_unclear,
                            .severity = measure::Severity::warning,
                            .detail = std::move(reason),
                            .offset = {}};
}

std::optional<Error> LinuxBackingDevice::host_full(Bytes length) const {
    return disk_full(host_file_, length, host_path());
}

} // namespace mediarig::workload
