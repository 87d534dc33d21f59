// SPDX-License-Identifier: GPL-3.0-or-later
// Who is there, what it remembers, and whether we may drive it.
#include <fmt/format.h>

#include <algorithm>

#include "common/crc32.hpp"
#include "host/rig/serial/board_session.hpp"
#include "host/rig/text/text.hpp"

namespace mediarig::rig {
using rigproto::Op;
using rigproto::Reject;

namespace {

constexpr std::string_view our_profile = "swap30";
constexpr auto boot_within = std::chrono::seconds(3);
/// The longest lease that a host can ask for, and some.
constexpr auto longest_lease = std::chrono::milliseconds(5500);
constexpr auto between_greetings = std::chrono::milliseconds(250);
constexpr auto between_looks = std::chrono::milliseconds(10);

tl::unexpected<Error> other_major(unsigned theirs) {
    const bool newer = theirs > rigproto::protocol_major;
    return fail(Errc::rig_fault,
                fmt::format("the rig's firmware speaks major version {} of the protocol, this mediarig {}: update {}; "
                            "until then mediarig rig status and stop work, nothing else",
                            theirs, rigproto::protocol_major,
                            newer ? "mediarig" : "the firmware (mediarig-rig.uf2 onto the board in its loader)"));
}

tl::unexpected<Error> no_rig(const BoardLine& line) {
    if (line.heard_anything())
        return fail(Errc::rig_fault,
                    fmt::format("what answers on {} is not a rig: name another line with --rig PATH", line.path()));
    return fail(Errc::rig_fault, fmt::format("nobody answers on {}: is it the rig's line, and does its firmware run? "
                                             "mediarig rig find lists the rigs on the USB",
                                             line.path()));
}

std::string text_of(std::span<const char> padded) {
    return {padded.begin(), std::find(padded.begin(), padded.end(), '\0')};
}

/// Why a configuration is refused, and which readers are in its way.
std::string why_not(rigproto::Rejection rejection, const rigproto::StatusReply& status) {
    using rigproto::Interlock;
    if (rejection.reject == Reject::out_of_range)
        return "a value of the rig file is one that no rig can have; look at travels, speeds, accelerations and places";
    if (rejection.reject == Reject::interlock && rejection.interlock == Interlock::card_present)
        return fmt::format(
            "what it says of places is not changed while cards are in readers, now {}: take them out "
            "with the old rig file, or switch the rig off and on",
            numbers_of(PortSet{static_cast<std::uint8_t>(status.cards | status.occupied)}));
    if (rejection.reject == Reject::interlock && rejection.interlock == Interlock::port_powered)
        return fmt::format(
            "nothing of it is changed while ports have voltage, now {}: switch them off with the old "
            "rig file, or the rig off and on",
            numbers_of(PortSet{status.powered}));
    return explain(rejection);
}

/// The git revision of the simulated rig's firmware: it has none.
constexpr std::string_view simulated_build = "simulated";

} // namespace

std::string serial_of(const rigproto::HelloReply& hello) {
    std::string serial;
    bool known = false;
    for (const std::uint8_t byte : hello.unique_id) {
        serial += fmt::format("{:02X}", byte);
        known = known || byte != 0;
    }
    return known ? serial : std::string{};
}

std::uint16_t SerialBoard::Session::new_nonce() {
    // The board refuses the last four: they may still be under way somewhere.
    std::uniform_int_distribution<unsigned> any(1, 0xFFFF);
    std::uint16_t nonce = 0;
    do nonce = static_cast<std::uint16_t>(any(random_));
    while (std::find(nonces_.begin(), nonces_.end(), nonce) != nonces_.end());
    std::shift_right(nonces_.begin(), nonces_.end(), 1);
    nonces_[0] = nonce;
    return nonce;
}

/// Waits for a session that another program left without its end, until its lease must be over.
boost::asio::awaitable<Result<rig::Answer>> SerialBoard::Session::say_hello() {
    const auto self = shared_from_this();
    const auto line = line_;
    const auto until = Clock::now() + longest_lease;
    // Outside the loop: with optimisation, GCC 12 takes the end of an answer in a coroutine's loop for a wrong delete.
    Result<rig::Answer> answer;
    while (true) {
        const std::uint16_t nonce = new_nonce();
        line->begin_session(nonce);
        rigproto::HelloRequest request{.previous = session_};
        request.look = log_ == nullptr ? 1 : 0;
        auto payload = bytes_of(request);
        answer = co_await line->request(Op::hello, std::move(payload));
        if (answer && answer->rejection.reject == Reject::none) session_ = nonce;
        const bool held = answer && answer->rejection.reject == Reject::session_held;
        if (!held || ended_ || Clock::now() >= until) co_return answer;
        const auto next = Clock::now() + between_greetings;
        while (!ended_ && Clock::now() < next) co_await wakeup_.wait(next);
    }
}

boost::asio::awaitable<Result<void>> SerialBoard::Session::greet() {
    const auto self = shared_from_this();
    const auto line = line_;
    const auto answer = co_await say_hello();
    if (ended_) co_return fail(*ended_);
    if (!answer && !greeted_before_) co_return no_rig(*line);
    if (!answer) co_return fail(answer.error());
    if (answer->rejection.reject != Reject::none || answer->payload.empty())
        co_return fail(Errc::rig_fault,
                       fmt::format("the rig's board does not take our greeting: {}", explain(answer->rejection)));
    const unsigned major = answer->payload[0];
    if (major != rigproto::protocol_major && log_ != nullptr) co_return other_major(major);
    read_only = major != rigproto::protocol_major;
    const auto reply = rigproto::decode<rigproto::HelloReply>(answer->payload);
    if (!reply && read_only) co_return other_major(major);
    if (!reply)
        co_return fail(
            Errc::rig_fault,
            fmt::format("what answers on {} is not a rig that this mediarig knows: update one of them", line->path()));
    if (auto same = check_identity(*reply); !same) co_return same;
    hello = *reply;
    if (log_ == nullptr) co_return Result<void>{};
    auto met = co_await meet_ledger();
    if (!met) co_return met;
    auto configured = co_await configure();
    if (!configured) co_return configured;
    co_return co_await wait_for_boot();
}

Result<void> SerialBoard::Session::check_identity(const rigproto::HelloReply& reply) {
    const std::string profile = text_of(reply.profile);
    if (profile != our_profile)
        return fail(
            Errc::rig_fault,
            fmt::format("the board is built as \"{}\", and this mediarig drives \"{}\": it is another kind of rig",
                        profile, our_profile));
    // Whoever only looks at it or stops it has nothing to do with its pins.
    if (const auto other_map = explain_pin_map(reply.pin_map_hash); other_map && log_ != nullptr)
        return fail(Errc::rig_fault, *other_map);
    stranger_ = greeted_before_ && reply.unique_id != hello.unique_id;
    if (stranger_)
        return fail(Errc::rig_fault,
                    fmt::format("another board answers now: {} instead of {}", serial_of(reply), serial_of(hello)));
    return {};
}

boost::asio::awaitable<Result<void>> SerialBoard::Session::meet_ledger() {
    const auto self = shared_from_this();
    if (!greeted_before_) {
        const std::string serial = serial_of(hello);
        std::string board = serial.empty() ? line_->path() : serial;
        if (text_of(hello.build) == simulated_build) board += simulated_mark;
        const auto newest = co_await log_->open(board);
        if (!newest) co_return fail(newest.error());
        if (hello.status.last_job > *newest) {
            auto passed = co_await log_->pass_over(hello.status.last_job);
            if (!passed) co_return passed;
        }
    }
    const auto cold = co_await started_cold();
    if (!cold) co_return fail(cold.error());
    const auto events = co_await log_->newest_event();
    if (!events) co_return fail(events.error());
    epoch_ = events->first;
    if (!*cold && epoch_ != 0) co_return Result<void>{};
    const auto epoch = co_await log_->begin_epoch();
    if (!epoch) co_return fail(epoch.error());
    epoch_ = *epoch;
    if (!*cold) co_return Result<void>{};
    co_return co_await forget_jobs();
}

/// The board says so until it has done something, which another program may have asked for since: a job that it did
/// for this ledger, and is not among its past, tells it as well.
boost::asio::awaitable<Result<bool>> SerialBoard::Session::started_cold() {
    const auto self = shared_from_this();
    if (hello.cold_start != 0) co_return true;
    const auto jobs = co_await log_->latest(latest_jobs);
    if (!jobs) co_return fail(jobs.error());
    co_return std::any_of(jobs->begin(), jobs->end(), [this](const LoggedJob& job) {
        const bool accepted = job.state == LoggedJob::State::done || job.state == LoggedJob::State::failed;
        return accepted && job.job > hello.status.last_job;
    });
}

boost::asio::awaitable<Result<void>> SerialBoard::Session::forget_jobs() {
    const auto self = shared_from_this();
    const auto jobs = co_await log_->latest(latest_jobs);
    if (!jobs) co_return fail(jobs.error());
    Result<void> settled;
    for (const LoggedJob& job : *jobs) {
        if (job.state != LoggedJob::State::intended) continue;
        settled = co_await log_->settle(job.job, LoggedJob::State::unknown, {}, 0);
        if (!settled) co_return settled;
    }
    for (auto& [job, waiting] : waiting_) waiting.forgotten = true;
    co_return Result<void>{};
}

boost::asio::awaitable<Result<void>> SerialBoard::Session::configure() {
    const auto self = shared_from_this();
    const auto line = line_;
    auto payload = bytes_of(settings_.config);
    const std::uint32_t crc = crc32(payload);
    const auto answer = co_await line->request(Op::config, std::move(payload));
    if (!answer) co_return fail(answer.error());
    if (answer->rejection.reject != Reject::none)
        co_return fail(Errc::rig_fault,
                       fmt::format("the rig's board refuses the configuration ({}): {}",
                                   name_of(answer->rejection.reject), why_not(answer->rejection, hello.status)));
    const auto reply = rigproto::decode<rigproto::ConfigReply>(answer->payload);
    if (!reply || reply->crc != crc)
        co_return fail(Errc::rig_fault,
                       "the rig's board took over another configuration than it was sent: update its "
                       "firmware");
    co_return Result<void>{};
}

/// A board that has just been started measures its inputs first, and takes no jobs meanwhile.
boost::asio::awaitable<Result<void>> SerialBoard::Session::wait_for_boot() {
    const auto self = shared_from_this();
    const auto line = line_;
    const auto until = Clock::now() + boot_within;
    while (true) {
        std::vector<std::uint8_t> nothing;
        const auto answer = co_await line->request(Op::status, std::move(nothing));
        if (!answer) co_return fail(answer.error());
        const auto status = rigproto::decode<rigproto::StatusReply>(answer->payload);
        if (!status || status->state != rigproto::State::boot || Clock::now() >= until) co_return Result<void>{};
        const auto next = Clock::now() + between_looks;
        while (!ended_ && Clock::now() < next) co_await wakeup_.wait(next);
        if (ended_) co_return fail(*ended_);
    }
}

} // namespace mediarig::rig
