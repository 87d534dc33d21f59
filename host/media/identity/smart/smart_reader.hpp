// SPDX-License-Identifier: GPL-3.0-or-later
/// Asks a disk behind its bridge how it is.
#pragma once

#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// Port. Asking takes a second at most on a healthy disk; reads nothing of its content, writes nothing.
class SmartReader {
public:
    virtual ~SmartReader() = default;
    /// Whatever hinders it stands in the report.
    [[nodiscard]] virtual SmartReport read(const Medium& medium) = 0;
};

} // namespace mediarig::media
