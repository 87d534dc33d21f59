// SPDX-License-Identifier: GPL-3.0-or-later
/// Selects KVM only after a successful probe: /dev/kvm can exist and hang every guest.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>

#include "host/base/result.hpp"
#include "host/lab/machine/machine_spec.hpp"

namespace mediarig::lab {

/// Resolves `automatic` to kvm if /dev/kvm is accessible and a probe boot in `directory` completes within 5 s, else to
/// tcg. Stores the result of the probe in the user's cache until this computer reboots. If `is_wanted` returns false,
/// the probe ends at once and nothing is stored.
[[nodiscard]] boost::asio::awaitable<Accelerator> choose_accelerator(const MachineSpec& spec, std::string qemu,
                                                                     std::string directory,
                                                                     std::function<bool()> is_wanted);

} // namespace mediarig::lab
