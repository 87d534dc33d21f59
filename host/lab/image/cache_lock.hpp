// SPDX-License-Identifier: GPL-3.0-or-later
/// Allows one build at a time in a cache. The kernel releases the lock when the process ends for any reason.
#pragma once

#include <filesystem>
#include <utility>

#include "host/base/result.hpp"
#include "host/lab/image/image_options.hpp"

namespace mediarig::lab {

class CacheLock {
public:
    /// Waits for another build to finish, and reports this to `progress`. Fails with timed_out, cancelled, io_failed.
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
