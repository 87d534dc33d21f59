// SPDX-License-Identifier: GPL-3.0-or-later
/// Scenarios: somebody uses a medium, or media change places, and meanwhile the agent is asked to write.
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

/// What is wrong is told a line each; none where everything that is not ours kept its bytes and the answer is right.
struct Verdict {
    std::string ending; ///< what the agent answered, for people
    std::vector<std::string> wrong;
    bool done{};    ///< the operation was carried out
    bool refused{}; ///< for safety
};

/// A stack is made at a moment, on the medium that is asked for or on the card beside it.
///
/// What has to hold, whatever comes first: a stack that stands keeps every byte, and no operation on its medium is
/// done; where the kernel or the tool refused the stack because the medium is held, nothing else is written; a stack
/// beside hinders nothing.
struct StackScenario {
    const Stack* stack{};
    Operation operation{};
    Moment moment{};
    bool beside{};
    std::uint8_t slot{1};
};

enum class Exchange : std::uint8_t {
    twin,        ///< another medium of the same serial and size takes its port
    other,       ///< one of another serial
    larger,      ///< one of the same serial that is larger
    smaller,     ///< one of the same serial that is smaller
    again,       ///< it is pulled and plugged again
    gone,        ///< it is pulled
    swapped,     ///< it and another one change their ports
    twin_beside, ///< one of the same serial and size appears at another port
    other_again, ///< another medium is pulled and plugged again
};
[[nodiscard]] std::string_view name_of(Exchange exchange);
/// Whether the medium leaves its port.
[[nodiscard]] constexpr bool replaces(Exchange exchange) {
    return exchange != Exchange::twin_beside && exchange != Exchange::other_again;
}

/// Media change places at a moment.
///
/// What has to hold: no other medium is written; the medium itself not any more once it has left its port, also when it
/// comes back; an operation whose medium left is not done.
struct ExchangeScenario {
    Exchange exchange{};
    Operation operation{};
    Moment moment{};
    std::uint8_t slot{1};
    std::chrono::milliseconds delay{}; ///< after a concurrent moment has begun
};
/// Whether a person or a kernel could tell the media apart at that moment: a medium of the same serial that was there
/// before anything was claimed is the medium.
[[nodiscard]] bool can_be_told(const ExchangeScenario& scenario);

[[nodiscard]] std::string title_of(const StackScenario& scenario);
[[nodiscard]] std::string title_of(const ExchangeScenario& scenario);
[[nodiscard]] Verdict play(Stage& stage, const StackScenario& scenario);
[[nodiscard]] Verdict play(Stage& stage, const ExchangeScenario& scenario);

/// A volume in the first of three partitions is mounted, written and checked: all that lies beside it keeps its bytes,
/// also where the kernel's nodes of the partitions are away when the volume is asked for and come back meanwhile.
[[nodiscard]] Verdict use_one_partition(Stage& stage, std::uint8_t slot, bool nodes_come_late);
/// One disk at two ports is refused by its serial, and behind a multipath map in whatever way it is confirmed.
[[nodiscard]] Verdict use_disk_with_two_paths(Stage& stage, bool map);

} // namespace mediarig::lab
