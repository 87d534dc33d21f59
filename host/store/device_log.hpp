// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes one log file per device with one JSON object per line. The file is complete without the database.
/// docs/reference/store.md lists the members. Any tool can read the lines, two processes can append at once, and a
/// crash that cuts off the file at any byte does not damage earlier lines. If a crash cut off a line, the next append
/// ends that line and adds a line that reports the crash; nothing is ever removed from the file.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "host/base/result.hpp"

namespace mediarig::store {

/// Suffix of the file names: "<device key>.jsonl".
inline constexpr const char* device_log_suffix = ".jsonl";

/// A log open for appending. Several logs, also in several processes, may append to one file.
class DeviceLog {
public:
    /// Creates the file if it is missing; the directory must exist. Fails with store_failed.
    [[nodiscard]] static Result<std::unique_ptr<DeviceLog>> open(const std::filesystem::path& path);
    ~DeviceLog();
    DeviceLog(const DeviceLog&) = delete;
    DeviceLog& operator=(const DeviceLog&) = delete;

    /// Appends one record. The lines of a record (without line ends) stay together and are on the disk when the call
    /// succeeds. If the record cannot be written completely (store_failed), no part of it remains, provided that the
    /// file can be truncated.
    [[nodiscard]] Result<void> append(std::span<const std::string> lines);

private:
    DeviceLog(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
    [[nodiscard]] Result<void> append_locked(std::span<const std::string> lines);
    [[nodiscard]] Result<void> close_torn_line(std::int64_t size);
    [[nodiscard]] Result<void> write_line(std::string line);

    int descriptor_;
    std::string path_;
};

} // namespace mediarig::store
