// SPDX-License-Identifier: GPL-3.0-or-later
/// A job that is requested twice acts only once, whatever happens between the requests.
#include "tests/catch.hpp"
#include "tests/common/rigproto/board_fixture.hpp"

using namespace mediarig;
using namespace mediarig::rigproto;
using namespace mediarig::tests;

namespace {

JobStatusReply status_of(Caller& host, std::uint32_t job) {
    return host.get<JobStatusReply>(host.frame(Op::job_status, JobStatusRequest{job})).value_or(JobStatusReply{});
}

/// Runs a job to its end and acknowledges its events.
void finish(Board& board, Caller& host) {
    board.run(20'000);
    host.acknowledge(board.events().ring().ids().next - 1);
}

} // namespace

TEST_CASE("a repeated request for an accepted job is accepted and does not act a second time") {
    Board board;
    Caller host = ready(board);
    const LoadRequest load{.job = 1, .pocket = 4, .port = 2};
    CHECK(host.ask(Op::load, load) == Reject::none);
    CHECK(host.ask(Op::load, load) == Reject::none); // another request: another sequence number
    finish(board, host);
    CHECK(host.ask(Op::load, load) == Reject::none);
    CHECK(board.machine().begun.size() == 1);
}

TEST_CASE("the board knows a job after a reconnect") {
    Board board;
    Caller host = ready(board);
    const UnloadRequest unload{.job = 3, .port = 2, .to = UnloadRequest::To::bin, .index = 1};
    CHECK(host.ask(Op::unload, unload) == Reject::none);
    Caller again(board, 0x8888);
    REQUIRE(again.hello());
    CHECK(again.ask(Op::unload, unload) == Reject::none);
    CHECK(board.machine().begun.size() == 1);
    CHECK(status_of(again, 3).state == JobState::running);
    finish(board, again);
    CHECK(status_of(again, 3).state == JobState::done);
}

TEST_CASE("a job id with other arguments or another operation is refused") {
    Board board;
    Caller host = ready(board);
    REQUIRE(host.ask(Op::load, LoadRequest{.job = 1, .pocket = 4, .port = 2}) == Reject::none);
    CHECK(host.ask(Op::load, LoadRequest{.job = 1, .pocket = 5, .port = 2}) == Reject::job_reused);
    CHECK(host.ask(Op::home, HomeRequest{1}) == Reject::job_reused);
    CHECK(host.ask(Op::park, ParkRequest{1}) == Reject::job_reused);
    CHECK(board.machine().begun.size() == 1);
}

TEST_CASE("the board remembers the last eight jobs and refuses the ids of older jobs") {
    Board board;
    Caller host = ready(board);
    for (std::uint32_t job = 1; job <= 12; ++job) {
        REQUIRE(host.ask(Op::home, HomeRequest{job}) == Reject::none);
        finish(board, host);
    }
    for (std::uint32_t job = 1; job <= 12; ++job) {
        CAPTURE(job);
        CHECK(host.ask(Op::home, HomeRequest{job}) == (job <= 4 ? Reject::job_too_old : Reject::none));
        CHECK(status_of(host, job).state == (job <= 4 ? JobState::unknown : JobState::done));
    }
    CHECK(board.machine().begun.size() == 12);
}

TEST_CASE("job ids increase, and a skipped id is refused as too old") {
    Board board;
    Caller host = ready(board);
    REQUIRE(host.ask(Op::home, HomeRequest{100}) == Reject::none);
    finish(board, host);
    CHECK(host.ask(Op::home, HomeRequest{99}) == Reject::job_too_old);
    CHECK(host.ask(Op::home, HomeRequest{0xFFFFFFFF}) == Reject::none);
}

TEST_CASE("a refused job has not begun and can be requested again with the same id") {
    Board board;
    Caller host = ready(board);
    board.machine().answer = {Reject::not_homed};
    const LoadRequest load{.job = 1, .pocket = 4, .port = 2};
    CHECK(host.ask(Op::load, load) == Reject::not_homed);
    CHECK(status_of(host, 1).state == JobState::unknown);
    board.machine().answer = {};
    CHECK(host.ask(Op::load, load) == Reject::none);
    CHECK(board.machine().begun.size() == 1);
    // The answer to a finished job does not involve the machine.
    finish(board, host);
    board.machine().answer = {Reject::not_homed};
    CHECK(host.ask(Op::load, load) == Reject::none);
}

TEST_CASE("JOB_STATUS and an event report the end of a job") {
    Board board;
    Caller host = ready(board);
    REQUIRE(host.ask(Op::home, HomeRequest{7}) == Reject::none);
    board.events().job_progress(7, JobStage::homing_x, board.now_us);
    CHECK(status_of(host, 7) == JobStatusReply{7, JobState::running, JobStage::homing_x, Fault::none, 0});
    board.events().job_failed(7, JobStage::homing_x, Fault::x_home_not_found, 0, board.now_us);
    CHECK(status_of(host, 7) == JobStatusReply{7, JobState::failed, JobStage::homing_x, Fault::x_home_not_found, 0});
    board.events().job_done(7, board.now_us); // too late: the job has ended
    CHECK(status_of(host, 7).state == JobState::failed);
    CHECK(status_of(host, 0).state == JobState::unknown);
}

TEST_CASE("a job interrupted by a reset is remembered as failed and never resumed") {
    Board board;
    Caller host = ready(board);
    const LoadRequest load{.job = 5, .pocket = 4, .port = 2};
    REQUIRE(host.ask(Op::load, load) == Reject::none);
    board.reset(ResetReason::watchdog);
    CHECK_FALSE(board.cold);
    Caller again(board, 0x8888);
    const auto hello = again.hello();
    REQUIRE(hello);
    CHECK(hello->boot_id == 2);
    CHECK(hello->cold_start == 0);
    CHECK(hello->reset == ResetReason::watchdog);
    CHECK(hello->status.last_job == 5);
    CHECK(status_of(again, 5).state == JobState::failed);
    CHECK(status_of(again, 5).fault == Fault::watchdog);
    REQUIRE(again.configure() == Reject::none);
    CHECK(again.ask(Op::load, load) == Reject::none); // same answer as before; JOB_STATUS reports the end of the job
    CHECK(board.machine().begun.empty());             // since the reset
}

TEST_CASE("after a power loss the board knows no job and reports the cold start until it is acknowledged") {
    Board board;
    Caller host = ready(board);
    REQUIRE(host.ask(Op::home, HomeRequest{5}) == Reject::none);
    std::fill_n(reinterpret_cast<std::uint8_t*>(&board.retained), sizeof board.retained, std::uint8_t{0xA5});
    board.reset(ResetReason::power_on);
    CHECK(board.cold);
    for (std::uint16_t session = 1; session <= 2; ++session) {
        const auto hello = Caller(board, session).hello();
        REQUIRE(hello);
        CHECK(hello->boot_id == 1);
        CHECK(hello->cold_start == 1);
        CHECK(hello->oldest_event == 1);
        CHECK(hello->status.last_job == 0);
    }
    Caller third(board, 3);
    REQUIRE(third.hello());
    CHECK(status_of(third, 5).state == JobState::unknown);
    third.acknowledge(1);
    CHECK(Caller(board, 4).hello()->cold_start == 0);
}

TEST_CASE("any damaged byte in the retained memory leads to a cold start") {
    Board board;
    Caller host = ready(board);
    REQUIRE(host.ask(Op::home, HomeRequest{5}) == Reject::none);
    board.events().fault({Fault::jam, 0}, 1);
    const firmware::Retained good = board.retained;
    firmware::Retained copy = good;
    REQUIRE_FALSE(firmware::open_retained(copy));

    std::size_t cold = 0;
    for (std::size_t at = 0; at < sizeof good; ++at) {
        copy = good;
        auto* bytes = reinterpret_cast<std::uint8_t*>(&copy);
        bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ 0x10);
        const bool is_cold = firmware::open_retained(copy);
        if (is_cold) ++cold;
        // Invalid memory is initialised completely.
        CHECK(copy.start.get().boot_id == (is_cold ? 1U : 2U));
    }
    // Damages all bytes except the places of events that are not waiting.
    CHECK(cold >= sizeof good - sizeof good.events);
    CHECK(cold < sizeof good);
}
