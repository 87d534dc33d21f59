// SPDX-License-Identifier: GPL-3.0-or-later
/// Adapter: block devices of this Linux machine, from sysfs, the kernel's tables and udev. Never writes.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "host/media/claim/discovery.hpp"
#include "host/media/claim/linux/kernel/loop_map.hpp"
#include "host/media/claim/linux/kernel/udev_properties.hpp"
#include "host/media/claim/linux/kernel/usage.hpp"
#include "host/media/claim/signature.hpp"

namespace mediarig::media {

/// Reads the signatures on the device at `node` through a separate descriptor; for devices that udev has not processed.
using SignatureReader = std::function<Result<std::vector<Signature>>(const std::string& node)>;

/// Queries to the kernel by system calls, as opposed to files in /sys.
struct KernelQuestions {
    LoopQuery loop{}; ///< unset: see LoopMap::read()
    std::function<std::vector<std::string>()> other_namespaces{processes_in_other_namespaces};
    std::string identities{}; ///< folder of emulated_identity.hpp; empty outside the lab
};

class LinuxDiscovery final : public Discovery {
public:
    LinuxDiscovery(UdevQuery udev, SignatureReader look, KernelQuestions ask = {});
    [[nodiscard]] Result<std::vector<Medium>> list() override;
    [[nodiscard]] Result<Medium> identify(const std::string& target, const OwnDevices& own) override;
    using Discovery::identify;

private:
    UdevQuery udev_;
    SignatureReader look_;
    KernelQuestions ask_;
};

} // namespace mediarig::media
