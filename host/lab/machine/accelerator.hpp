// SPDX-License-Identifier: GPL-3.0-or-later
/// KVM only where it was seen to work: /dev/kvm can be there and hang every guest.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>

#include "host/base/result.hpp"
#include "host/lab/machine/machine_spec.hpp"

namespace mediarig::lab {

/// `automatic` becomes kvm where /dev/kvm may be used and a probe boot in `directory` reaches its end within 5 s, else
/// tcg. What the probe found is kept in the user's cache until this computer boots again.
/// Once `is_wanted` says no, the probe ends at once and nothing is kept.
[[nodiscard]] boost::asio::awaitable<Accelerator> choose_accelerator(const MachineSpec& spec, std::string qemu,
                                                                     std::string directory,
                                                                     std::function<bool()> is_wanted);

} // namespace mediarig::lab
