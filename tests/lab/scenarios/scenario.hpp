// SPDX-License-Identifier: GPL-3.0-or-later
/// Scenarios: a medium is in use, or media are exchanged, while the agent is asked to write.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lab/scenarios/operation.hpp"
#include "tests/lab/scenarios/stacks.hpp"

namespace mediarig::lab {

/// Faults, one per line. Empty if all foreign bytes are unchanged and the answer is correct.
struct Verdict {
    std::string ending; ///< the agent's answer as text
    std::vector<std::string> wrong;
    bool done{};    ///< the operation was executed
    bool refused{}; ///< refused for safety
};

/// A stack is made at a moment, on the requested medium or on the card next to it.
///
/// Invariants in any order: an existing stack keeps every byte, and no operation on its medium is done. If the kernel
/// or the tool refused the stack because the medium is held, nothing else is written. A stack on another card has no
/// effect.
struct StackScenario {
    const Stack* stack{};
    Operation operation{};
    Moment moment{};
    bool beside{};
    std::uint8_t slot{1};
};

enum class Exchange : std::uint8_t {
    twin,        ///< another medium with the same serial and size takes its port
    other,       ///< a medium with another serial
    larger,      ///< a larger medium with the same serial
    smaller,     ///< a smaller medium with the same serial
    again,       ///< the medium is pulled and plugged again
    gone,        ///< the medium is pulled
    swapped,     ///< the medium is exchanged with another medium
    twin_beside, ///< a medium with the same serial and size appears at another port
    other_again, ///< another medium is pulled and plugged again
};
[[nodiscard]] std::string_view name_of(Exchange exchange);
/// True if the medium leaves its port.
[[nodiscard]] constexpr bool replaces(Exchange exchange) {
    return exchange != Exchange::twin_beside && exchange != Exchange::other_again;
}

/// Media are exchanged at a moment.
///
/// Invariants: no other medium is written. The medium itself is not written after it has left its port, also when it
/// returns. An operation whose medium left is not done.
struct ExchangeScenario {
    Exchange exchange{};
    Operation operation{};
    Moment moment{};
    std::uint8_t slot{1};
    std::chrono::milliseconds delay{}; ///< after a concurrent moment has begun
};
/// True if the media are distinguishable at that moment. A medium with the same serial that was present before any
/// claim counts as the medium.
[[nodiscard]] bool can_be_told(const ExchangeScenario& scenario);

[[nodiscard]] std::string title_of(const StackScenario& scenario);
[[nodiscard]] std::string title_of(const ExchangeScenario& scenario);
[[nodiscard]] Verdict play(Stage& stage, const StackScenario& scenario);
[[nodiscard]] Verdict play(Stage& stage, const ExchangeScenario& scenario);

/// A volume in the first of three partitions is mounted, written and checked. All other bytes are unchanged, also if
/// the kernel's partition nodes are missing at the request and return during it.
[[nodiscard]] Verdict use_one_partition(Stage& stage, std::uint8_t slot, bool nodes_come_late);
/// One disk at two ports is refused for its serial, and under a multipath map for any confirmation.
[[nodiscard]] Verdict use_disk_with_two_paths(Stage& stage, bool map);

} // namespace mediarig::lab
