// SPDX-License-Identifier: GPL-3.0-or-later
/// Opening a serial line (or a pty, which looks the same) so that nobody else talks on it meanwhile.
#pragma once

#include <string>

#include "host/base/result.hpp"

namespace mediarig::rig {

/// Owns a descriptor.
class Line {
public:
    explicit Line(int descriptor) : descriptor_(descriptor) {}
    Line(Line&& other) noexcept : descriptor_(other.release()) {}
    Line& operator=(Line&&) = delete;
    ~Line();
    [[nodiscard]] int get() const { return descriptor_; }
    [[nodiscard]] int release() {
        const int descriptor = descriptor_;
        descriptor_ = -1;
        return descriptor;
    }

private:
    int descriptor_;
};

/// Raw, 115200 8N1 (which USB and ptys ignore), non-blocking, locked; what came before is thrown away. Fails with
/// rig_fault (no such line, not a serial line, busy), no_permission (naming the group that may), io_failed.
[[nodiscard]] Result<Line> open_line(const std::string& path);

/// Where another program holds the line: writes a STOP into it, and leaves it as it is. The board takes one from
/// anybody; what it answers, the other program reads. False where nobody holds it. Fails as open_line.
[[nodiscard]] Result<bool> stop_past_holder(const std::string& path);

} // namespace mediarig::rig
