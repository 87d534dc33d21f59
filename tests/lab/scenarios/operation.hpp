// SPDX-License-Identifier: GPL-3.0-or-later
/// What is asked of the agent in a scenario, and the moments at which something else happens meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "tests/lab/scenarios/stage.hpp"

namespace mediarig::lab {

enum class Operation : std::uint8_t {
    claim,  ///< claimed and given back
    format, ///< exFAT on the whole medium
    table,  ///< exFAT in a partition
    verify, ///< the first 16 MiB of the bare medium written and read back
    volume, ///< exFAT, mounted, a file written and read back, unmounted, checked
    reuse,  ///< the exFAT that the first partition holds: mounted, written, read back, unmounted, checked
};
enum class Moment : std::uint8_t {
    before_identify,
    before_claim, ///< identified by whoever asks, not yet claimed
    during_claim,
    before_format,
    during_format,
    before_mount,
    mounted,
    during_run,
    before_unmount,
};
[[nodiscard]] std::string_view name_of(Operation operation);
[[nodiscard]] std::string_view name_of(Moment moment);
/// In their order.
[[nodiscard]] std::span<const Moment> moments_of(Operation operation);
/// Whether the agent is at work at that moment.
[[nodiscard]] constexpr bool concurrent(Moment moment) {
    return moment == Moment::during_claim || moment == Moment::during_format || moment == Moment::during_run;
}

struct Asked {
    Operation operation{};
    std::string target;
    std::string confirm; ///< empty: what the medium itself says when it is identified
};
struct Ending {
    bool done{}; ///< to its end, and nothing was found wrong
    Errc code{};
    std::string said; ///< the error, or what was found
    /// What was claimed had appeared after what was identified before the claim was asked for.
    bool claimed_another{};
};

/// `meanwhile` is called at each moment of the operation; in the middle of a call where it is a concurrent one. The
/// claim is given back in every case.
[[nodiscard]] Ending perform(Stage& stage, const Asked& asked, const std::function<void(Moment)>& meanwhile);

} // namespace mediarig::lab
