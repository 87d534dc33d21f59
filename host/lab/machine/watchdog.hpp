// SPDX-License-Identifier: GPL-3.0-or-later
/// Tells a slow machine from a hung one. Pure: signs and times in, a judgement out.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace mediarig::lab {

/// What was seen at one look.
struct Signs {
    bool guest_answers{};           ///< its shell, on the diagnosis port; also when that is busy with a request of ours
    std::string status;             ///< of QEMU: "running", "paused", "io-error", "internal-error", "guest-panicked"…
    std::uint64_t block_activity{}; ///< operations and bytes of all block devices so far; any change is a sign of life
};

class Watchdog {
public:
    using Time = std::chrono::steady_clock::time_point;
    Watchdog(Time now, std::chrono::milliseconds silence) : silence_(silence), last_sign_(now) {}

    /// Why the machine is to be given up; nothing while it works, however slowly.
    [[nodiscard]] std::optional<std::string> look(const Signs& signs, Time now);

private:
    std::chrono::milliseconds silence_;
    Time last_sign_;
    std::optional<std::uint64_t> activity_;
};

/// The sum over the answer to query-blockstats. What has another shape counts as nothing.
[[nodiscard]] std::uint64_t block_activity(const nlohmann::json& blockstats);

} // namespace mediarig::lab
