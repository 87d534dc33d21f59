// SPDX-License-Identifier: GPL-3.0-or-later
/// One file per device, one JSON object per line, complete without the database. docs/reference/store.md lists the
/// members.
///
/// Lines can be read with any tool, appended to by two processes at once, and cut off at any byte by a crash without
/// damage to earlier lines. The next append closes a line that a crash cut off, with its own line that reports this;
/// nothing is ever removed from the file.
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
    /// Makes the file if it is missing; its directory must exist. Fails with store_failed.
    [[nodiscard]] static Result<std::unique_ptr<DeviceLog>> open(const std::filesystem::path& path);
    ~DeviceLog();
    DeviceLog(const DeviceLog&) = delete;
    DeviceLog& operator=(const DeviceLog&) = delete;

    /// Appends one record: its lines, without their line ends, are kept together and are on the disk when this
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
