// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/linux/settle_volume.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <thread>

#include "host/descriptor.hpp"
#include "host/workload/linux/linux_system.hpp"

namespace mediarig::agent {

Result<media::SettleReport> settle_volume(const workload::Target& target, const std::atomic<bool>* cancel) {
    // Else a driver writes it back some seconds later, into what is measured.
    if (const Descriptor folder(::open(target.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); folder)
        (void)::syncfs(folder.get());
    const auto device = workload::linux_system().backing_device(target);
    const auto counters = [&]() -> std::optional<media::MovedSoFar> {
        const auto totals = device->totals();
        if (!totals) return std::nullopt;
        return media::MovedSoFar{.read = totals->read, .written = totals->written};
    };
    return media::settle(counters, [](std::chrono::nanoseconds time) { std::this_thread::sleep_for(time); },
                         {.cancel = cancel});
}

} // namespace mediarig::agent
