// SPDX-License-Identifier: GPL-3.0-or-later
/// Opens a serial line (or a pty, which behaves the same) exclusively.
#pragma once

#include <string>

#include "host/base/result.hpp"

namespace mediarig::rig {

/// Owns a descriptor.
class SerialPort {
public:
    explicit SerialPort(int descriptor) : descriptor_(descriptor) {}
    SerialPort(SerialPort&& other) noexcept : descriptor_(other.release()) {}
    SerialPort& operator=(SerialPort&&) = delete;
    ~SerialPort();
    [[nodiscard]] int get() const { return descriptor_; }
    [[nodiscard]] int release() {
        const int descriptor = descriptor_;
        descriptor_ = -1;
        return descriptor;
    }

private:
    int descriptor_;
};

/// Opens the line raw, 115200 8N1 (ignored by USB and ptys), non-blocking, locked; discards old input. Fails with
/// rig_fault (no such line, not a serial line, busy), no_permission (the detail names the group with access),
/// io_failed.
[[nodiscard]] Result<SerialPort> open_line(const std::string& path);

/// Writes a STOP into a line that another program holds, without other changes. The board accepts a STOP from any
/// sender; the other program reads the answer. Returns false if no program holds the line. Fails like open_line.
[[nodiscard]] Result<bool> stop_through_holder(const std::string& path);

} // namespace mediarig::rig
