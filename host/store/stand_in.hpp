// SPDX-License-Identifier: GPL-3.0-or-later
/// A medium that could not be identified gets a record all the same, so that what was not tested is told.
#pragma once

#include "host/store/record.hpp"

namespace mediarig::store {

/// Its key binds nobody. A device that is put under the same name takes its place.
[[nodiscard]] inline bool stands_in(const DeviceRecord& device) {
    return device.identity.transport == media::Transport::unknown;
}

} // namespace mediarig::store
