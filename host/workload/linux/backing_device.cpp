// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/linux/backing_device.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <utility>

namespace mediarig::workload {
namespace {

/// The unit of the counters in sysfs, whatever the device's sector is (Documentation/block/stat.rst of the kernel).
constexpr Bytes counter_unit{512};

std::optional<dev_t> number_of(const Target& target) {
    struct stat info {};
    if (target.kind == Target::Kind::device) {
        if (::fstat(target.device_fd, &info) != 0) return std::nullopt;
        return S_ISBLK(info.st_mode) ? info.st_rdev : info.st_dev;
    }
    if (!target.backing_device.empty() && ::stat(target.backing_device.c_str(), &info) == 0 && S_ISBLK(info.st_mode))
        return info.st_rdev;
    const bool open = target.directory_fd >= 0;
    if (::fstatat(open ? target.directory_fd : AT_FDCWD, open ? "" : target.path.c_str(), &info,
                  open ? AT_EMPTY_PATH : 0) != 0)
        return std::nullopt;
    return info.st_dev;
}

class OpenNode {
public:
    explicit OpenNode(const std::string& node) : fd_(node.empty() ? -1 : ::open(node.c_str(), O_RDONLY | O_CLOEXEC)) {}
    ~OpenNode() {
        if (fd_ >= 0) ::close(fd_);
    }
    OpenNode(const OpenNode&) = delete;
    OpenNode& operator=(const OpenNode&) = delete;
    [[nodiscard]] int fd() const { return fd_; }

private:
    int fd_;
};

bool write_back(const std::string& path) {
    const OpenNode node(path);
    return node.fd() >= 0 && ::fsync(node.fd()) == 0;
}

bool write_back_and_empty(const std::string& path) {
    const OpenNode node(path);
    if (node.fd() < 0 || ::fsync(node.fd()) != 0) return false;
    // BLKFLSBUF needs privilege; the advice does the same for clean pages and needs none.
    const bool advised = ::posix_fadvise(node.fd(), 0, 0, POSIX_FADV_DONTNEED) == 0;
    const bool flushed = ::ioctl(node.fd(), BLKFLSBUF, 0) == 0;
    return advised || flushed;
}

} // namespace

LinuxBackingDevice LinuxBackingDevice::of(const Target& target, std::string sysfs) {
    LinuxBackingDevice device(LinuxHostBelow::of(target));
    device.node_ = target.backing_device;
    device.partition_ = target.partition_device;
    if (const auto number = number_of(target)) {
        std::string entry =
            std::move(sysfs) + "/" + std::to_string(major(*number)) + ":" + std::to_string(minor(*number));
        struct stat info {};
        if (::stat(entry.c_str(), &info) == 0) device.sysfs_entry_ = std::move(entry);
    }
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

// The partition first: what it writes back lands below.
bool LinuxBackingDevice::flush() const {
    return (partition_.empty() || write_back(partition_)) && write_back(node_);
}

bool LinuxBackingDevice::flush_and_drop() const {
    return (partition_.empty() || write_back_and_empty(partition_)) && write_back_and_empty(node_);
}

} // namespace mediarig::workload
