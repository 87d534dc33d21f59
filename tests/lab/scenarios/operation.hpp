// SPDX-License-Identifier: GPL-3.0-or-later
/// The requested operation of a scenario, and the moments for a concurrent event.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "tests/lab/scenarios/stage.hpp"

namespace mediarig::lab {

enum class Operation : std::uint8_t {
    claim,  ///< claimed and released
    format, ///< exFAT on the whole medium
    table,  ///< exFAT in a partition
    verify, ///< the first 16 MiB of the bare medium written and read back
    volume, ///< exFAT, mounted, a file written and read back, unmounted, checked
    reuse,  ///< the exFAT that the first partition holds: mounted, written, read back, unmounted, checked
};
enum class Moment : std::uint8_t {
    before_identify,
    before_claim, ///< identified, not yet claimed
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
/// Returns the moments of an operation in their order.
[[nodiscard]] std::span<const Moment> moments_of(Operation operation);
/// True if the agent is busy at that moment.
[[nodiscard]] constexpr bool concurrent(Moment moment) {
    return moment == Moment::during_claim || moment == Moment::during_format || moment == Moment::during_run;
}

struct Asked {
    Operation operation{};
    std::string target;
    std::string confirm; ///< empty: the confirmation of the identified medium
};
struct Ending {
    bool done{}; ///< the operation was completed without a finding
    Errc code{};
    std::string said; ///< the error, or the result
    /// True if the claimed medium appeared between identification and claim.
    bool claimed_another{};
};

/// Calls `meanwhile` at each moment of the operation, for a concurrent moment during a call. Always releases the claim.
[[nodiscard]] Ending perform(Stage& stage, const Asked& asked, const std::function<void(Moment)>& meanwhile);

} // namespace mediarig::lab
