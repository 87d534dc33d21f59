// SPDX-License-Identifier: GPL-3.0-or-later
/// Adapter: user-mode Linux with real drivers, in virtual time. Its media have no transport. Their card models run in
/// the guest, so every figure depends only on the model and the driver.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>

#include "host/lab/machine/machine.hpp"

namespace mediarig::lab {

/// start() needs `image` (see host/lab/image/virtual_image.hpp), `slots` and `media`; it ignores the processors, the
/// accelerator, the uplink and QEMU. throttle() and inject_errors() fail with bad_request: use the commands of the
/// card.
[[nodiscard]] std::unique_ptr<VirtualMachine> make_virtual_time_machine(const boost::asio::any_io_executor& executor);

} // namespace mediarig::lab
