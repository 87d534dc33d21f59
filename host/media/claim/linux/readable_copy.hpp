// SPDX-License-Identifier: GPL-3.0-or-later
/// What can be read of a device that answers read errors, in memory: libblkid gives up at the first error.
#pragma once

#include <chrono>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/claim/signature.hpp"

namespace mediarig::media {

/// A sparse file of the device's size, with zeros where nothing was read or could be.
class ReadableCopy {
public:
    /// Fails with io_failed (no memory file). `device` stays open as long as this lives.
    [[nodiscard]] static Result<ReadableCopy> of(int device, Bytes size);
    ReadableCopy(ReadableCopy&& from) noexcept;
    ReadableCopy& operator=(ReadableCopy&&) = delete;
    ReadableCopy(const ReadableCopy&) = delete;
    ReadableCopy& operator=(const ReadableCopy&) = delete;
    ~ReadableCopy();

    /// Reads the first and the last 4 MiB of the part: all that libblkid looks at. Fails with io_failed where the
    /// device does not answer at all; read errors are no failure.
    [[nodiscard]] Result<void> take_ends_of(Range part);
    [[nodiscard]] int descriptor() const { return copy_; }
    /// In ascending order, neighbours joined.
    [[nodiscard]] std::vector<Range> unreadable() const;

private:
    ReadableCopy(int device, int copy, Bytes size);
    [[nodiscard]] Result<void> take(Range range);

    int device_, copy_;
    Bytes size_;
    std::chrono::steady_clock::time_point deadline_;
    std::vector<Range> unreadable_;
};

} // namespace mediarig::media
