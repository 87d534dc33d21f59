// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads the SMART status of a disk through its bridge.
#pragma once

#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// Port. A query takes at most a second on a healthy disk. It reads no contents and writes nothing.
class SmartReader {
public:
    virtual ~SmartReader() = default;
    /// Failures are described in the report.
    [[nodiscard]] virtual SmartReport read(const Medium& medium) = 0;
};

} // namespace mediarig::media
