// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads the SMART status of a disk through its bridge.
#pragma once

#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// Port. A query takes at most one second on a healthy disk. It does not read the stored data and writes nothing.
class SmartReader {
public:
    virtual ~SmartReader() = default;
    /// Failures are described in the report.
    [[nodiscard]] virtual SmartReport read(const Medium& medium) = 0;
};

} // namespace mediarig::media
