// SPDX-License-Identifier: GPL-3.0-or-later
/// A zram device that this process adds to the machine and removes again. Existing devices are not changed.
#pragma once

#include <cstdint>
#include <string>

#include "host/base/descriptor.hpp"

namespace mediarig::claim_scenarios {

class ZramDevice {
public:
    /// Adds a device. Throws std::runtime_error.
    explicit ZramDevice(std::uint64_t size);
    ~ZramDevice();
    ZramDevice(const ZramDevice&) = delete;
    ZramDevice& operator=(const ZramDevice&) = delete;
    /// Reason why no device can be added on this machine; empty if a device can be added.
    [[nodiscard]] static std::string missing();
    [[nodiscard]] const std::string& node() const { return node_; }

private:
    int number_{-1};
    std::string node_;
    Descriptor alive_; ///< the other end belongs to a guardian that removes the device when this process ends
};

} // namespace mediarig::claim_scenarios
