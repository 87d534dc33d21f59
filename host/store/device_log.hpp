// SPDX-License-Identifier: GPL-3.0-or-later
/// One file per device, one JSON object per line, complete without the database. docs/reference/store.md lists the
/// members.
///
/// Why lines: they can be read with any tool, appended to by two processes at once, and cut off at any byte by a crash
/// without harm to the lines before. A line that a crash cut off is closed off by the next append, with a line of its
/// own that says so; nothing is ever taken out of the file.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "host/base/result.hpp"

namespace mediarig::store {

/// The end of the file names: "<device key>.jsonl".
inline constexpr const char* device_log_suffix = ".jsonl";

/// A log open for appending. Any number of them, in any number of processes, may append to one file.
class DeviceLog {
public:
    /// Makes the file where it is missing; its directory must exist. Fails with store_failed.
    [[nodiscard]] static Result<std::unique_ptr<DeviceLog>> open(const std::filesystem::path& path);
    ~DeviceLog();
    DeviceLog(const DeviceLog&) = delete;
    DeviceLog& operator=(const DeviceLog&) = delete;

    /// One record: its lines, without their line ends, stay together, and are on the disk when this returns well. Of a
    /// record that could not be written whole (store_failed) nothing stays, if the file can still be cut.
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
