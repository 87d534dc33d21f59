// SPDX-License-Identifier: GPL-3.0-or-later
/// Files and block devices opened with O_DIRECT, O_DSYNC and O_SYNC.
#pragma once

#include <optional>
#include <string>

#include "host/base/descriptor.hpp"
#include "host/workload/io/linux/mapping.hpp"
#include "host/workload/io/system.hpp"

namespace mediarig::workload {

/// Like openat(2), with O_NOATIME where that is allowed: access-time updates would write to the medium while only reads
/// are measured.
[[nodiscard]] int open_quietly(int folder, const char* name, int flags);

/// Flag of open(2) for a sync level.
[[nodiscard]] int sync_flag(SyncLevel sync);

class LinuxMediumFile final : public MediumFile {
public:
    /// Creates a new file in the open directory `folder`; an existing name is an error.
    [[nodiscard]] static Result<LinuxMediumFile> create(int folder, const std::string& name, CachePolicy cache,
                                                        SyncLevel sync);
    /// Opens an existing file of an open directory. Never follows a link.
    [[nodiscard]] static Result<LinuxMediumFile> open_existing(int folder, const std::string& name, CachePolicy cache,
                                                               SyncLevel sync);
    /// Opens the file of `fd` a second time with separate flags; `fd` remains unchanged.
    [[nodiscard]] static Result<LinuxMediumFile> reopen(int fd, CachePolicy cache, SyncLevel sync);

    /// Takes ownership of an open descriptor whose flags agree with `cache` and `sync`.
    [[nodiscard]] static LinuxMediumFile around(int fd, CachePolicy cache, SyncLevel sync) {
        return {fd, cache, sync, false};
    }

    [[nodiscard]] int fd() const override { return file_.get(); }
    [[nodiscard]] CachePolicy used() const override { return used_; }
    [[nodiscard]] bool direct_refused() const override { return direct_refused_; }
    [[nodiscard]] Result<void> disable_direct() override;
    [[nodiscard]] Result<Bytes> size() const override;
    [[nodiscard]] bool served_by_user_space() const override;
    [[nodiscard]] std::optional<Bytes> place() const override;
    [[nodiscard]] TransferResult write(std::span<const std::byte> bytes, std::uint64_t offset) override;
    [[nodiscard]] TransferResult read(std::span<std::byte> bytes, std::uint64_t offset) override;
    [[nodiscard]] int truncate() override;
    [[nodiscard]] int flush() const override;
    [[nodiscard]] int flush_attributes() const override;
    [[nodiscard]] int map(Bytes length) override;
    void unmap() override { mapping_.reset(); }
    [[nodiscard]] std::optional<std::uint64_t> pieces() const override;
    [[nodiscard]] CacheDrop drop_cache(Bytes size) const override;
    void expect_random() const override;
    [[nodiscard]] int forget(std::uint64_t offset, Bytes length) const override;

private:
    LinuxMediumFile(int fd, CachePolicy used, SyncLevel sync, bool refused)
        : file_(fd), used_(used), sync_(sync), direct_refused_(refused) {}
    static Result<LinuxMediumFile> open(int folder, const std::string& name, int flags, CachePolicy cache,
                                        SyncLevel sync);

    Descriptor file_;
    CachePolicy used_;
    SyncLevel sync_;
    bool direct_refused_;
    std::optional<Mapping> mapping_;
};

} // namespace mediarig::workload
