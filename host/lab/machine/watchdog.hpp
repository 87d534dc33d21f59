// SPDX-License-Identifier: GPL-3.0-or-later
/// Distinguishes a slow machine from a hung one. Pure: takes observations and times, returns a verdict.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace mediarig::lab {

/// Observations of one check.
struct Signs {
    bool
        guest_answers{}; ///< the guest's shell answers on the diagnosis port, or is busy with a request of this program
    std::string status;  ///< reported by QEMU: "running", "paused", "io-error", "internal-error", "guest-panicked"…
    std::uint64_t block_activity{}; ///< total operations and bytes of all block devices; any change is a sign of life
};

class Watchdog {
public:
    using Time = std::chrono::steady_clock::time_point;
    Watchdog(Time now, std::chrono::milliseconds silence) : silence_(silence), last_sign_(now) {}

    /// Returns the reason why the machine counts as hung; nothing while it works, however slowly.
    [[nodiscard]] std::optional<std::string> look(const Signs& signs, Time now);

private:
    std::chrono::milliseconds silence_;
    Time last_sign_;
    std::optional<std::uint64_t> activity_;
};

/// Returns the sum over the answer to query-blockstats. Ignores items of another form.
[[nodiscard]] std::uint64_t block_activity(const nlohmann::json& blockstats);

} // namespace mediarig::lab
