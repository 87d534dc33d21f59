// SPDX-License-Identifier: GPL-3.0-or-later
/// A disk with a false size that fails on request. nbdkit serves it with our plugin, and FUSE shows it as a file.
#pragma once

#include <string>

#include "host/workload/io/job_control.hpp"

namespace mediarig::tests {

class FakeDisk {
public:
    enum class OverflowBehaviour : std::uint8_t {
        wrap, ///< keeps addresses modulo `real`
        drop, ///< drops writes beyond the real size and reads zeros there
    };
    /// A disk with `real` bytes that claims `claimed` bytes. Reads of the 8 KiB at `bad` fail.
    FakeDisk(Bytes real, Bytes claimed, Bytes bad, OverflowBehaviour beyond = OverflowBehaviour::wrap);
    ~FakeDisk();
    FakeDisk(const FakeDisk&) = delete;
    FakeDisk& operator=(const FakeDisk&) = delete;

    /// Returns false if this machine lacks a tool for it.
    [[nodiscard]] bool there() const { return fd_ >= 0; }
    [[nodiscard]] std::string path() const;
    [[nodiscard]] workload::JobTarget target() const;

private:
    std::string folder_;
    int fd_{-1};
};

} // namespace mediarig::tests
