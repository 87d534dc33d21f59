// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/machine/watchdog.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace mediarig::lab {

std::optional<std::string> Watchdog::look(const Signs& signs, Time now) {
    if (signs.status != "running") return fmt::format("the virtual machine stopped: QEMU reports '{}'", signs.status);
    const bool moved = activity_ && *activity_ != signs.block_activity;
    activity_ = signs.block_activity;
    if (signs.guest_answers || moved) last_sign_ = now;
    const auto silent = std::chrono::duration_cast<std::chrono::seconds>(now - last_sign_);
    if (now - last_sign_ < silence_) return std::nullopt;
    return fmt::format("the guest does not respond: no answer and no block operation for {} s", silent.count());
}

std::uint64_t block_activity(const nlohmann::json& blockstats) {
    std::uint64_t sum = 0;
    if (!blockstats.is_array()) return sum;
    for (const auto& device : blockstats) {
        if (!device.is_object() || !device.contains("stats") || !device["stats"].is_object()) continue;
        for (const char* counter : {"rd_operations", "wr_operations", "flush_operations", "rd_bytes", "wr_bytes",
                                    "failed_rd_operations", "failed_wr_operations"}) {
            const auto found = device["stats"].find(counter);
            if (found != device["stats"].end() && found->is_number_unsigned()) sum += found->get<std::uint64_t>();
        }
    }
    return sum;
}

} // namespace mediarig::lab
