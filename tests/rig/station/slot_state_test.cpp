// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/station/slot_state.hpp"

#include <random>
#include <set>
#include <vector>

#include "tests/catch.hpp"

using namespace mediarig::rig;
using S = SlotState;
using E = SlotEvent;

namespace {

constexpr int states = 13, events = 15;

std::optional<Slot> after(const std::vector<E>& scenario) {
    std::optional<Slot> slot = Slot{};
    for (const E event : scenario) {
        slot = next(*slot, event);
        if (!slot) return slot;
    }
    return slot;
}

const std::vector<E> to_busy{E::inserted,    E::switched_on, E::appeared, E::vanished,
                             E::switched_on, E::returned,    E::guarded,  E::handed_out};

std::vector<E> with(std::vector<E> scenario, const std::vector<E>& more) {
    scenario.insert(scenario.end(), more.begin(), more.end());
    return scenario;
}

} // namespace

TEST_CASE("a card passes the states reader, voltage, handshake, test, release, off and bin in this order") {
    CHECK(after(to_busy)->state == S::busy);
    CHECK(after(with(to_busy, {E::released, E::switched_off, E::taken_out}))->state == S::binned);
}

TEST_CASE("every path to a test passes the handshake of the same power cycle") {
    std::mt19937 random(1); // NOLINT: the same scenarios each time
    std::uniform_int_distribution<int> any(0, events - 1);
    std::size_t busy = 0, moved = 0;
    for (int scenario = 0; scenario < 3000; ++scenario) {
        Slot slot;
        bool live = false, bound = false;
        for (int i = 0; i < 400; ++i) {
            const E event = static_cast<E>(any(random));
            // These events are rare, because otherwise hardly any scenario would reach a test.
            const bool trouble =
                event == E::jammed || event == E::doubted || event == E::failed || event == E::released;
            if (trouble && any(random) != 0) continue;
            const auto to = next(slot, event);
            if (!to) continue;
            CAPTURE(name_of(slot.state), name_of(event), name_of(to->state));
            if (event == E::switched_on) {
                live = true;
                bound = false;
            }
            if (event == E::switched_off || event == E::vanished || event == E::found_in || event == E::found_out)
                live = bound = false;
            if (event == E::returned) bound = true;
            if (to->state == S::busy) {
                ++busy;
                REQUIRE((live && bound));
            }
            if (event == E::inserted || event == E::taken_out) {
                ++moved;
                REQUIRE_FALSE(live);
                REQUIRE(may_move(slot.state));
            }
            slot = *to;
            if (slot.state == S::unknown || slot.state == S::fault_rig) live = bound = false;
        }
    }
    CHECK(busy > 100);
    CHECK(moved > 1000);
}

TEST_CASE("nothing moves into or out of a reader between power-on and the end of voltage") {
    for (int i = 0; i < states; ++i) {
        const auto state = static_cast<S>(i);
        CAPTURE(name_of(state));
        const bool live = state >= S::powered && state <= S::quiesced;
        if (live) CHECK_FALSE(may_move(state));
        for (const E event : {E::inserted, E::taken_out})
            if (next(Slot{.state = state}, event)) CHECK(may_move(state));
        CHECK(may_write(state) == (state == S::busy));
    }
}

TEST_CASE("a card counts as returned only if it has disappeared before and is powered again") {
    CHECK_FALSE(next(Slot{.state = S::powered}, E::returned));
    const auto half = after({E::inserted, E::switched_on, E::appeared, E::vanished});
    REQUIRE(half);
    CHECK(half->half_shaken);
    CHECK(after({E::inserted, E::switched_on, E::appeared, E::vanished, E::switched_on, E::returned})->state ==
          S::bound);
    // A device that appears again in the second half counts as new: the handshake restarts.
    CHECK_FALSE(
        after({E::inserted, E::switched_on, E::appeared, E::vanished, E::switched_on, E::appeared, E::returned}));
    CHECK_FALSE(after(with(to_busy, {E::released, E::switched_off, E::switched_on, E::returned})));
}

TEST_CASE("after a jam or an uncertain state, a slot continues only after the reader was inspected") {
    for (const E trouble : {E::jammed, E::doubted})
        for (int i = 0; i < events; ++i) {
            const auto event = static_cast<E>(i);
            const auto to = after(with(to_busy, {trouble, event}));
            CAPTURE(name_of(trouble), name_of(event));
            const bool leads_on = event == E::found_in || event == E::found_out;
            if (to && event != E::jammed && event != E::doubted) CHECK(leads_on);
            if (leads_on) CHECK(to);
        }
}

TEST_CASE("every state and event has its own name") {
    std::set<std::string_view> names;
    for (int i = 0; i < states; ++i) names.insert(name_of(static_cast<S>(i)));
    for (int i = 0; i < events; ++i) names.insert(name_of(static_cast<E>(i)));
    CHECK(names.size() == states + events);
}
