// SPDX-License-Identifier: GPL-3.0-or-later
/// Lets one build at a time work in a cache. The kernel drops the lock when the process ends, however it ends.
#pragma once

#include <filesystem>
#include <utility>

#include "host/base/result.hpp"
#include "host/lab/image/guest_image.hpp"

namespace mediarig::lab {

class CacheLock {
public:
    /// Waits while another build is at work, which `progress` tells. Fails with timed_out, cancelled, io_failed.
    [[nodiscard]] static Result<CacheLock> take(const ImageOptions& options, const Progress& progress);

    CacheLock(CacheLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    CacheLock& operator=(CacheLock&&) = delete;
    CacheLock(const CacheLock&) = delete;
    CacheLock& operator=(const CacheLock&) = delete;
    ~CacheLock();

private:
    explicit CacheLock(int descriptor) : descriptor_(descriptor) {}
    int descriptor_{-1};
};

} // namespace mediarig::lab
