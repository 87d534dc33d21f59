// SPDX-License-Identifier: GPL-3.0-or-later
/// A modelled card as a block device of this kernel, through the driver ublk. Runs in the guest. Source:
/// include/uapi/linux/ublk_cmd.h and Documentation/block/ublk.rst of Linux 6.1.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"
#include "host/lab/card/plugin/running_card.hpp"

namespace mediarig::lab {

class UblkDevice {
public:
    /// Called in the device's thread, at most once. The request that met the failure stays without an answer.
    using StorageFailed = std::function<void(const Error& reason)>;

    /// Makes the device "/dev/ublkbNUMBER"; it has been added when this returns. `card` outlives the device. Fails with
    /// bad_request (the number is in use), no_driver (no ublk), io_failed.
    [[nodiscard]] static Result<std::unique_ptr<UblkDevice>> add(std::uint8_t number, RunningCard& card,
                                                                 StorageFailed failed);
    UblkDevice(const UblkDevice&) = delete;
    UblkDevice& operator=(const UblkDevice&) = delete;
    /// Surprise removal: every request fails from now on, and the device disappears. Returns when it is gone.
    ~UblkDevice();

private:
    class Queue;
    UblkDevice(std::uint8_t number, RunningCard& card, StorageFailed failed);
    [[nodiscard]] Result<void> start();
    void serve();
    [[nodiscard]] int result_of(unsigned tag);

    std::uint8_t number_;
    RunningCard& card_;
    StorageFailed failed_;
    std::unique_ptr<Queue> queue_;
    std::atomic<bool> removed_{false};
    bool added_{false};
    std::thread thread_;
};

} // namespace mediarig::lab
