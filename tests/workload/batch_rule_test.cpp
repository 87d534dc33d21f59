// SPDX-License-Identifier: GPL-3.0-or-later
/// Counts the system calls of io_uring for a given medium, on models with a simulated clock.
#include "host/workload/io/uring/batch_rule.hpp"

#include <algorithm>
#include <deque>

#include "tests/catch.hpp"

using namespace mediarig::workload;

namespace {

constexpr Ticks worth_waiting = 100, longest_wait = 200;

/// Executes transfers in order, each for `service` ticks. Completions are reported one by one, or in a burst when the
/// medium is idle.
class Medium {
public:
    Medium(Ticks service, bool crowds) : service_(service), crowds_(crowds) {}
    void take(unsigned transfers, Ticks now) {
        for (; transfers > 0; --transfers) {
            idle_at_ = std::max(idle_at_, now) + service_;
            done_at_.push_back(idle_at_);
        }
        if (crowds_) std::fill(done_at_.begin(), done_at_.end(), idle_at_);
    }
    [[nodiscard]] Ticks when_done(unsigned transfers) const { return done_at_[transfers - 1]; }
    unsigned collect(Ticks now) {
        const auto end = std::upper_bound(done_at_.begin(), done_at_.end(), now);
        const auto count = static_cast<unsigned>(end - done_at_.begin());
        done_at_.erase(done_at_.begin(), end);
        return count;
    }

private:
    Ticks service_;
    bool crowds_;
    Ticks idle_at_{};
    std::deque<Ticks> done_at_; ///< in order
};

/// Returns the system calls per transfer, by the same steps as in the engine.
double calls(BatchRule rule, unsigned depth, Medium medium) {
    constexpr unsigned transfers = 32'000;
    unsigned left = transfers, in_flight = 0, queued = 0, made = 0;
    Ticks now = 1;
    const auto hand_over = [&] {
        ++made;
        medium.take(queued, now);
        queued = 0;
    };
    rule.begin(now);
    while (left > 0 || in_flight > 0) {
        for (; in_flight < depth && left > 0; --left) {
            ++in_flight;
            ++queued;
            if (rule.submits_now(queued, in_flight - queued)) hand_over();
        }
        hand_over();
        const Ticks full = std::max(now, medium.when_done(std::min(rule.batch(), in_flight)));
        now = rule.batch() == 1 ? full : std::min(full, now + longest_wait);
        const unsigned completed = medium.collect(now);
        in_flight -= completed;
        rule.found(completed, in_flight, now);
    }
    return static_cast<double>(made) / transfers;
}

double calls(unsigned depth, Medium medium, bool waits_with_limit = true) {
    return calls(BatchRule(depth, waits_with_limit, worth_waiting), depth, medium);
}

Medium one_by_one(Ticks service) {
    return {service, false};
}
Medium in_crowds(Ticks service) {
    return {service, true};
}

} // namespace

TEST_CASE("a fast medium at queue depth 32 needs one system call for eight transfers") {
    for (const Ticks service : {1u, 5u, 12u}) CHECK(calls(32, one_by_one(service)) <= 1.02 / 8);
    CHECK(calls(256, one_by_one(5)) <= 1.07 / 8); // the first 256 are polled one by one
}

TEST_CASE("one call waits for at most a quarter of the queue") {
    CHECK(calls(16, one_by_one(5)) >= 1.0 / 4);
    CHECK(calls(16, one_by_one(5)) <= 1.02 / 4);
    CHECK(calls(4, one_by_one(5)) >= 1);
}

TEST_CASE("if a medium needs longer for eight transfers, the engine waits for each single completion") {
    for (const Ticks service : {13u, 100u, 100'000u}) CHECK(calls(32, one_by_one(service)) >= 1);
    CHECK(calls(32, one_by_one(5), false) >= 1); // a kernel without a timeout for waits
}

TEST_CASE(
    "a medium that completes transfers in bursts gets a full queue in eight calls, of which the first submits one "
    "transfer") {
    CHECK(calls(32, in_crowds(5)) <= 8.0 / 32);
    const BatchRule rule(32, true, worth_waiting);
    CHECK(rule.submits_now(1, 0));
    CHECK(rule.submits_now(1, 1));
    CHECK_FALSE(rule.submits_now(1, 2));
    CHECK_FALSE(rule.submits_now(7, 24));
    CHECK(rule.submits_now(8, 24));
}

TEST_CASE("after a pause of the medium, the engine waits for each single completion again") {
    BatchRule rule(32, true, worth_waiting);
    rule.begin(0);
    for (Ticks now = 1; now <= 32; ++now) rule.found(1, 31, now);
    REQUIRE(rule.batch() == 8);
    CHECK_FALSE(rule.submits_now(8, 24)); // submitted with the waiting call
    rule.found(8, 24, 40);
    CHECK(rule.batch() == 8);
    rule.found(3, 29, 240);
    CHECK(rule.batch() == 1);
}
