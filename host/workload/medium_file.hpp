// SPDX-License-Identifier: GPL-3.0-or-later
/// A file or block device opened for a test the way the job asks, and how far that was possible.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "common/units.hpp"
#include "host/result.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

class MediumFile {
public:
    /// Makes a file that does not exist yet in the open directory `folder`.
    [[nodiscard]] static Result<MediumFile> create(int folder, const std::string& name, CachePolicy cache,
                                                   SyncLevel sync);
    /// Opens a file of an open directory, never what a link leads to.
    [[nodiscard]] static Result<MediumFile> open_existing(int folder, const std::string& name, CachePolicy cache,
                                                          SyncLevel sync);
    /// Opens what `fd` names once more, with flags of its own; `fd` stays as it is.
    [[nodiscard]] static Result<MediumFile> reopen(int fd, CachePolicy cache, SyncLevel sync);
    ~MediumFile();
    MediumFile(MediumFile&& other) noexcept
        : fd_(std::exchange(other.fd_, -1)),
          used_(other.used_),
          sync_(other.sync_),
          direct_refused_(other.direct_refused_) {}
    MediumFile& operator=(MediumFile&& other) noexcept {
        std::swap(fd_, other.fd_);
        used_ = other.used_;
        sync_ = other.sync_;
        direct_refused_ = other.direct_refused_;
        return *this;
    }
    MediumFile(const MediumFile&) = delete;
    MediumFile& operator=(const MediumFile&) = delete;

    [[nodiscard]] int fd() const { return fd_; }
    [[nodiscard]] CachePolicy used() const { return used_; }
    /// O_DIRECT was asked for, and the file system refused it when opening or at the first transfer.
    [[nodiscard]] bool direct_refused() const { return direct_refused_; }
    /// Goes on without O_DIRECT: some drivers accept the flag and then refuse the transfer.
    [[nodiscard]] Result<void> give_up_direct();
    /// The size of the device or file as the kernel has it.
    [[nodiscard]] Result<Bytes> size() const;
    /// True for FUSE: the driver is a process that reads and writes the device through the device's own page cache.
    [[nodiscard]] bool served_by_user_space() const;

private:
    MediumFile(int fd, CachePolicy used, SyncLevel sync, bool refused)
        : fd_(fd), used_(used), sync_(sync), direct_refused_(refused) {}
    static Result<MediumFile> open(int folder, const std::string& name, int flags, CachePolicy cache, SyncLevel sync);

    int fd_;
    CachePolicy used_;
    SyncLevel sync_;
    bool direct_refused_;
};

/// pwrite until all is written. The number of bytes that were, and the errno that ended it early (0: none, all written;
/// a medium that moves nothing and says nothing counts as EIO).
struct Moved {
    std::size_t bytes{};
    int error{};
};
[[nodiscard]] Moved write_fully(int fd, std::span<const std::byte> bytes, std::uint64_t offset);
/// pread until all is read; the end of the file ends it early without an error.
[[nodiscard]] Moved read_fully(int fd, std::span<std::byte> bytes, std::uint64_t offset);

} // namespace mediarig::workload
