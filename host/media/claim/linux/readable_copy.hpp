// SPDX-License-Identifier: GPL-3.0-or-later
/// In-memory copy of the readable parts of a device with read errors, because libblkid stops at the first error.
#pragma once

#include <chrono>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/claim/signature.hpp"

namespace mediarig::media {

/// A sparse file of the device's size, with zeros in ranges that were not read.
class ReadableCopy {
public:
    /// Fails with io_failed (no memory file). `device` must stay open for the lifetime of this object.
    [[nodiscard]] static Result<ReadableCopy> of(int device, Bytes size);
    ReadableCopy(ReadableCopy&& from) noexcept;
    ReadableCopy& operator=(ReadableCopy&&) = delete;
    ReadableCopy(const ReadableCopy&) = delete;
    ReadableCopy& operator=(const ReadableCopy&) = delete;
    ~ReadableCopy();

    /// Reads the first and the last 4 MiB of `part`, which is all that libblkid reads. Fails with io_failed if the
    /// device does not respond; read errors are not a failure.
    [[nodiscard]] Result<void> take_ends_of(DeviceExtent part);
    [[nodiscard]] int descriptor() const { return copy_; }
    /// Unreadable ranges in ascending order; adjacent ranges are merged.
    [[nodiscard]] std::vector<DeviceExtent> unreadable() const;

private:
    ReadableCopy(int device, int copy, Bytes size);
    [[nodiscard]] Result<void> take(DeviceExtent range);

    int device_, copy_;
    Bytes size_;
    std::chrono::steady_clock::time_point deadline_;
    std::vector<DeviceExtent> unreadable_;
};

} // namespace mediarig::media
