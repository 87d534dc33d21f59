// SPDX-License-Identifier: GPL-3.0-or-later
/// The block device underneath a test file, found by sysfs and by the descriptors of the target, and the host file
/// below a loop device.
#pragma once

#include <string>

#include "host/base/descriptor.hpp"
#include "host/workload/io/job_control.hpp"
#include "host/workload/io/system.hpp"

namespace mediarig::workload {

class LinuxBackingDevice final : public BackingDevice {
public:
    /// Never fails: unknown facts are empty. For a directory without a given device, it uses the device of the
    /// directory's file system, if that can be opened for reading. `sysfs` is the folder of block devices by number;
    /// tests pass another one.
    [[nodiscard]] static LinuxBackingDevice of(const JobTarget& target, std::string sysfs = "/sys/dev/block");

    [[nodiscard]] std::optional<Totals> totals() const override;
    [[nodiscard]] std::optional<Sectors> sectors() const override;
    [[nodiscard]] bool gone() const override;
    [[nodiscard]] bool responds() const override;
    [[nodiscard]] bool flush_and_drop() const override;
    [[nodiscard]] int flush() const override;
    [[nodiscard]] bool known() const override { return fd_ >= 0; }
    [[nodiscard]] const std::string& node() const override { return node_; }
    [[nodiscard]] bool drop_host_cache() const override;
    [[nodiscard]] std::optional<Error> host_full(Bytes length) const override;
    [[nodiscard]] std::optional<measure::Finding> finding_about_directory() const override;
    [[nodiscard]] std::optional<measure::Finding> finding_about_directory_read_back(bool emptied,
                                                                                    bool served) const override;

private:
    explicit LinuxBackingDevice(const JobTarget& target);

    BorrowedDescriptor host_file_;
    std::string node_;
    /// Returns the kernel's number of the medium in the device; it changes with each medium. Empty if the kernel gives
    /// no number.
    [[nodiscard]] std::string sequence() const;

    Descriptor found_; ///< device of a directory that was found because the caller gave no device
    BorrowedDescriptor fd_, partition_fd_;
    BorrowedDescriptor medium_fd_; ///< for responds(); -1: unknown
    std::string sysfs_entry_;      ///< empty if missing
    std::optional<Bytes> size_;    ///< size of the medium when this object was made
    std::string sequence_;         ///< sequence number of the medium, when this object was made
    std::string in_memory_;        ///< name of the memory file system that contains the directory; otherwise empty
    bool of_directory_{};          ///< true for a directory of the user; the caller did not state its storage
};

} // namespace mediarig::workload
