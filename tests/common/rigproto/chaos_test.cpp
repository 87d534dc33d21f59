// SPDX-License-Identifier: GPL-3.0-or-later
/// Over a line that corrupts, drops, duplicates and replays frames, each job that a host requests acts exactly once on
/// the board.
#include <iostream>
#include <random>
#include <utility>

#include "tests/catch.hpp"
#include "tests/common/rigproto/bad_line.hpp"
#include "tests/common/rigproto/board_fixture.hpp"
#include "tests/common/rigproto/chaos_host.hpp"

using namespace mediarig;
using namespace mediarig::rigproto;
using namespace mediarig::tests;

namespace {

std::vector<LoadRequest> jobs_for(std::size_t count, std::uint32_t start) {
    std::mt19937 random(start);
    std::vector<LoadRequest> jobs;
    for (std::uint32_t job = 1; job <= count; ++job)
        jobs.push_back({.job = job,
                        .pocket = static_cast<std::uint8_t>(random() % max_pockets),
                        .port = static_cast<std::uint8_t>(random() % port_count)});
    return jobs;
}

struct Run {
    Run(std::size_t count, std::uint32_t start, unsigned reset_one_in = 0)
        : jobs(jobs_for(count, start)),
          host(jobs, 20'000, start + 1),
          to_board({}, start + 2),
          to_host({}, start + 3),
          reset_one_in_(reset_one_in),
          random_(start + 4) {}

    /// Returns false if the jobs did not end.
    bool finish() {
        for (std::uint64_t ticks = 0; ticks < 40'000'000; ++ticks) {
            if (host.finished()) {
                begun();
                return true;
            }
            now_us += 500;
            step();
        }
        return false;
    }

    /// Jobs that the machine began, over all its lives.
    std::vector<LoadRequest> acted;
    std::vector<LoadRequest> jobs;
    Board board;
    ChaosHost host;
    BadLine to_board, to_host;
    std::uint64_t now_us{};
    std::uint64_t resets{};
    CountersReply counters; ///< sums over the board's earlier lives

    void print(const char* what, std::uint32_t start) {
        count();
        std::cout << what << ", start " << start << ": " << jobs.size() << " jobs, " << acted.size() << " actions, "
                  << now_us / 1'000'000 << " s of virtual time; sessions " << host.counts.sessions << " (lost "
                  << host.counts.lost << "), resets " << resets << ", retries " << host.counts.retries
                  << ", jobs asked again " << host.counts.asked_again << ", refused " << host.counts.refused
                  << ", events kept " << host.events.size() << "\n";
        for (const auto& [name, line] : {std::pair{"  to the board", &to_board}, {"  to the host ", &to_host}})
            std::cout << name << ": frames " << line->counts.frames << ", corrupted " << line->counts.corrupted
                      << ", dropped " << line->counts.dropped << ", duplicated " << line->counts.duplicated
                      << ", stale " << line->counts.stale << "\n";
        std::cout << "  board saw: frames " << counters.frames << ", bad CRC " << counters.bad_crc << ", bad COBS "
                  << counters.bad_cobs << ", stale " << counters.stale << ", repeated " << counters.repeated << "\n";
    }

private:
    void step() {
        if (reset_one_in_ != 0 && random_() % reset_one_in_ == 0) {
            begun();
            count();
            ++resets;
            board.reset(ResetReason::watchdog);
        }
        if (host.tick(now_us)) {
            to_board.sever(now_us);
            to_host.sever(now_us);
        }
        to_board.send(host.take_output(), now_us);
        board.receive(to_board.receive(now_us));
        board.run(500);
        to_host.send(board.bytes(), now_us);
        host.feed(to_host.receive(now_us));
    }
    void begun() {
        for (const auto& command : board.machine().begun) acted.push_back(std::get<LoadRequest>(command));
        board.machine().begun.clear();
    }
    void count() {
        const auto now = board.counters();
        counters.frames += now.frames;
        counters.bad_crc += now.bad_crc;
        counters.bad_cobs += now.bad_cobs;
        counters.stale += now.stale;
        counters.repeated += now.repeated;
    }

    unsigned reset_one_in_;
    std::mt19937 random_;
};

bool same(const LoadRequest& a, const LoadRequest& b) {
    return a.job == b.job && a.pocket == b.pocket && a.port == b.port;
}

/// Each job acted once, on its own pocket and port, and in the requested order.
void check_exactly_once(const Run& run) {
    REQUIRE(run.acted.size() == run.jobs.size());
    for (std::size_t i = 0; i < run.jobs.size(); ++i) {
        CAPTURE(i);
        REQUIRE(same(run.acted[i], run.jobs[i]));
    }
}

void check_all_faults_happened(const Run& run) {
    for (const auto* line : {&run.to_board, &run.to_host}) {
        const auto& counts = line->counts;
        for (const std::uint64_t faults : {counts.corrupted, counts.dropped, counts.duplicated, counts.stale}) {
            CHECK(faults > counts.frames / 200);
            CHECK(faults < counts.frames / 50);
        }
    }
}

} // namespace

TEST_CASE("each of 10000 jobs acts exactly once on the right slot, with 1 % of each line fault and with reconnects") {
    for (const std::uint32_t start : {1U, 20'26U, 777'777U}) {
        CAPTURE(start);
        Run run(10'000, start);
        REQUIRE(run.finish());
        run.print("chaos", start);
        check_exactly_once(run);
        check_all_faults_happened(run);
        CHECK(run.host.counts.sessions > 10);
        REQUIRE(run.host.outcomes.size() == run.jobs.size());
        for (const auto& outcome : run.host.outcomes) REQUIRE(outcome.state == JobState::done);
        // Each event was received once, without a gap.
        for (std::size_t i = 0; i < run.host.events.size(); ++i) REQUIRE(run.host.events[i] == i + 1);
    }
}

TEST_CASE("a job that a watchdog reset of the board interrupts fails and never acts again") {
    for (const std::uint32_t start : {3U, 4'711U}) {
        CAPTURE(start);
        Run run(2'000, start, 3'000);
        REQUIRE(run.finish());
        run.print("chaos with resets", start);
        CHECK(run.resets > 20);
        check_exactly_once(run);
        std::size_t failed = 0;
        for (std::size_t i = 0; i < run.host.outcomes.size(); ++i) {
            const auto& outcome = run.host.outcomes[i];
            REQUIRE(outcome.job == run.jobs[i].job);
            if (outcome.state == JobState::done) continue;
            REQUIRE(outcome.fault == Fault::watchdog);
            ++failed;
        }
        CHECK(failed > 0);
        CHECK(failed <= run.resets);
        for (std::size_t i = 0; i < run.host.events.size(); ++i) REQUIRE(run.host.events[i] == i + 1);
    }
}
