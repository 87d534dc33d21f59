// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs: written down, asked for, awaited, settled.
#include <fmt/format.h>

#include <utility>

#include "host/rig/ledger.hpp"
#include "host/rig/serial/board_session.hpp"
#include "host/rig/text/text.hpp"

namespace mediarig::rig {
using rigproto::Op;
using rigproto::Reject;

namespace {

/// An event tells how a job ended; this is for the one that got lost with its line.
constexpr auto between_questions = std::chrono::milliseconds(1000);
constexpr auto between_tries = std::chrono::milliseconds(50);
/// For what passes by itself: ports that settle, events that wait for their ack, a session that is greeted anew.
constexpr auto worth_waiting = std::chrono::seconds(3);

bool passes(rigproto::Rejection rejection) {
    switch (rejection.reject) {
        case Reject::interlock:
            return rejection.interlock == rigproto::Interlock::port_settling;
        case Reject::events_full:
        case Reject::no_session:
        case Reject::lease_lost:
        case Reject::unconfigured:
            return true;
        default:
            return false;
    }
}

bool wants_greeting(Reject reject) {
    return reject == Reject::no_session || reject == Reject::lease_lost || reject == Reject::unconfigured;
}

struct InWords {
    std::string operator()(const Home&) const { return "home"; }
    std::string operator()(const Load& load) const {
        return fmt::format("load pocket {} into reader {}", number_of(load.from), number_of(load.into));
    }
    std::string operator()(const Unload& unload) const {
        return fmt::format("unload reader {} {}", number_of(unload.from), told(unload.to));
    }
    std::string operator()(const Power& power) const {
        return fmt::format("power {} port {}", power.on ? "on" : "off", number_of(power.port));
    }
    std::string operator()(const Clear&) const { return "clear"; }
    std::string operator()(const Park&) const { return "park"; }
    std::string operator()(const Guard& guard) const { return fmt::format("guard ports {:#04x}", guard.ports.bits); }
    std::string operator()(const NestRead&) const { return "read the card on the nest"; }
    std::string operator()(const Identify& identify) const {
        return fmt::format("identify the card of pocket {}", number_of(identify.pocket));
    }
    std::string operator()(const Empty& empty) const {
        return fmt::format("take reader {} for empty", numbers_of(empty.readers));
    }
    std::string operator()(const Jog& jog) const {
        return fmt::format("jog {} to {}", jog.axis == rigproto::Axis::x ? "x" : "z", jog.position);
    }
    std::string operator()(const Bootloader&) const { return "leave for the boot loader"; }
};

struct OnTheWire {
    std::uint32_t job{};

    JobRequest operator()(const Home&) const { return {Op::home, bytes_of(rigproto::HomeRequest{job})}; }
    JobRequest operator()(const Load& load) const {
        return {Op::load, bytes_of(rigproto::LoadRequest{job, load.from.index, load.into.index})};
    }
    JobRequest operator()(const Unload& unload) const {
        using To = rigproto::UnloadRequest::To;
        const auto* bin = std::get_if<rigproto::Bin>(&unload.to);
        const rigproto::UnloadRequest request{
            .job = job,
            .port = unload.from.index,
            .to = bin != nullptr ? To::bin : To::pocket,
            .index = bin != nullptr ? static_cast<std::uint8_t>(*bin) : std::get<Pocket>(unload.to).index};
        return {Op::unload, bytes_of(request)};
    }
    JobRequest operator()(const Power& power) const {
        return {Op::power, bytes_of(rigproto::PowerRequest{job, power.port.index, power.on})};
    }
    JobRequest operator()(const Clear&) const { return {Op::clear, bytes_of(rigproto::ClearRequest{job})}; }
    JobRequest operator()(const Park&) const { return {Op::park, bytes_of(rigproto::ParkRequest{job})}; }
    JobRequest operator()(const Guard& guard) const {
        return {Op::guard, bytes_of(rigproto::GuardRequest{job, guard.ports.bits})};
    }
    JobRequest operator()(const NestRead&) const { return {Op::nest_read, bytes_of(rigproto::NestReadRequest{job})}; }
    JobRequest operator()(const Identify& identify) const {
        return {Op::identify, bytes_of(rigproto::IdentifyRequest{job, identify.pocket.index})};
    }
    JobRequest operator()(const Empty& empty) const {
        return {Op::empty, bytes_of(rigproto::EmptyRequest{job, empty.readers.bits})};
    }
    JobRequest operator()(const Jog& jog) const {
        return {Op::jog, bytes_of(rigproto::JogRequest{job, jog.axis, jog.position})};
    }
    JobRequest operator()(const Bootloader&) const {
        return {Op::bootloader, bytes_of(rigproto::BootloaderRequest{job, rigproto::bootloader_magic})};
    }
};

} // namespace

std::string told(const Operation& operation) {
    return std::visit(InWords{}, operation);
}

/// Why the board refused this one; better than its own word where that fits several.
std::string reason_of(const Operation& operation, rigproto::Rejection rejection, const rigproto::Config& rig) {
    const bool moves = std::holds_alternative<Home>(operation) || std::holds_alternative<Park>(operation) ||
                       std::holds_alternative<Load>(operation) || std::holds_alternative<Unload>(operation) ||
                       std::holds_alternative<Identify>(operation);
    if (rejection.reject == Reject::out_of_range && rig.pockets == 0 && moves)
        return "this rig has no carriage: by its rig file its magazine has no pockets";
    if (rejection.reject == Reject::out_of_range && rig.z_nest == 0 && std::holds_alternative<Identify>(operation))
        return "this rig has no identity nest: its rig file says of none";
    if (rejection.reject == Reject::latched && std::holds_alternative<Clear>(operation))
        return "what stopped the rig is still there; mediarig rig status says what it is";
    return explain(rejection);
}

JobRequest request_of(std::uint32_t job, const Operation& operation) {
    return std::visit(OnTheWire{job}, operation);
}

boost::asio::awaitable<Result<JobOutcome>> SerialBoard::Session::act(Operation operation) {
    const auto self = shared_from_this();
    if (log_ == nullptr)
        co_return fail(Errc::refused, fmt::format("{} is not done: the rig is only looked at", told(operation)));
    if (ended_) co_return fail(*ended_);
    if (const auto* load = std::get_if<Load>(&operation); load != nullptr)
        if (auto vouched = co_await vouch_for(load->into); !vouched) co_return fail(vouched.error());
    const Intent intent{.what = operation, .why = why};
    const auto job = co_await log_->intend(intent);
    if (!job) co_return fail(job.error());
    waiting_[*job] = {};
    rigproto::Rejection rejection;
    const auto begun = co_await begin(*job, operation, rejection);
    Result<JobOutcome> outcome = fail(Errc::rig_fault, "");
    if (!begun) {
        outcome = fail(begun.error());
    } else if (*begun == Begun::refused) {
        outcome = fail(Errc::rig_fault, fmt::format("the rig refuses to {}: {}", told(operation),
                                                    reason_of(operation, rejection, settings_.config)));
        const auto settled = co_await log_->settle(*job, LoggedJob::State::refused, rigproto::Fault::none,
                                                   static_cast<std::uint8_t>(rejection.reject));
        if (!settled) outcome = fail(settled.error());
    } else {
        outcome = co_await outcome_of(*job, operation);
    }
    waiting_.erase(*job);
    co_return outcome;
}

/// A board that lost its power does not know which readers are empty. What this ledger saw come out, it need not look
/// for; of everything else a person says it.
boost::asio::awaitable<Result<void>> SerialBoard::Session::vouch_for(Port reader) {
    const auto self = shared_from_this();
    PortSet unproven{hello.status.unproven};
    if (!unproven.contains(reader)) co_return Result<void>{};
    const auto jobs = co_await log_->latest(jobs_that_tell);
    if (!jobs) co_return fail(jobs.error());
    if (!left_empty(*jobs, jobs->size() < jobs_that_tell, reader)) co_return Result<void>{};
    unproven.erase(reader);
    hello.status.unproven = unproven.bits;
    Empty empty;
    empty.readers.insert(reader);
    // Refused, as where a card is seen: then the load is refused as well, and says why.
    (void)co_await act(empty);
    co_return Result<void>{};
}

boost::asio::awaitable<Result<SerialBoard::Session::Begun>> SerialBoard::Session::begin(
    std::uint32_t job, const Operation& operation, rigproto::Rejection& rejection) {
    const auto self = shared_from_this();
    const auto patience = Clock::now() + worth_waiting;
    while (true) {
        auto ready = co_await connected();
        if (!ready)
            co_return fail(ready.error().code,
                           fmt::format("{} was not confirmed: {}", told(operation), ready.error().detail));
        // A board that forgot its past might do twice what it is asked again.
        if (waiting_[job].forgotten) co_return Begun::forgotten;
        const auto line = line_;
        auto request = request_of(job, operation);
        const auto answer = co_await line->request(request.op, std::move(request.payload));
        if (!answer) continue;
        if (answer->rejection.reject == Reject::none) co_return Begun::accepted;
        rejection = answer->rejection;
        if (!passes(rejection) || Clock::now() >= patience) co_return Begun::refused;
        if (wants_greeting(rejection.reject)) {
            greet_again_ = true;
            wakeup_.all();
            continue;
        }
        const auto next = Clock::now() + between_tries;
        while (!ended_ && Clock::now() < next) co_await wakeup_.wait(next);
    }
}

/// How far the job is, if the line to the board is up; else nothing is learnt.
boost::asio::awaitable<Result<void>> SerialBoard::Session::ask_after(std::uint32_t job) {
    const auto self = shared_from_this();
    auto payload = bytes_of(rigproto::JobStatusRequest{job});
    const auto status = co_await look_for<rigproto::JobStatusReply>(Op::job_status, std::move(payload));
    if (!status) co_return fail(status.error());
    const auto found = waiting_.find(job);
    if (found == waiting_.end()) co_return Result<void>{};
    if (status->state == rigproto::JobState::unknown) found->second.forgotten = true;
    if (status->state == rigproto::JobState::done || status->state == rigproto::JobState::failed)
        found->second.outcome = JobOutcome{job, status->fault, status->detail, false};
    co_return Result<void>{};
}

boost::asio::awaitable<Result<JobOutcome>> SerialBoard::Session::outcome_of(std::uint32_t job,
                                                                            const Operation& operation) {
    const auto self = shared_from_this();
    const auto until = Clock::now() + settings_.job_within;
    auto question = Clock::now() + between_questions;
    unsigned seen = reconnects;
    while (!waiting_[job].outcome && !waiting_[job].forgotten) {
        if (ended_)
            co_return fail(ended_->code, fmt::format("how {} ended is not known: {}", told(operation), ended_->detail));
        if (Clock::now() >= until)
            co_return fail(Errc::timed_out,
                           fmt::format("the rig did not finish to {} within {} s: run mediarig rig stop, "
                                       "then look at it",
                                       told(operation),
                                       std::chrono::duration_cast<std::chrono::seconds>(settings_.job_within).count()));
        if (up_ && (Clock::now() >= question || seen != reconnects)) {
            seen = reconnects;
            question = Clock::now() + between_questions;
            (void)co_await ask_after(job);
            continue;
        }
        // A question that is due while the line is away waits for the line: time alone would not let anybody else run.
        co_await wakeup_.wait(up_ ? std::min(question, until) : until);
    }
    if (!waiting_[job].outcome)
        co_return fail(Errc::rig_fault,
                       fmt::format("the rig's board was switched off and on during {}: how far it went is unknown; "
                                   "look where the card is, then run mediarig rig home",
                                   told(operation)));
    JobOutcome outcome = *waiting_[job].outcome;
    const bool done = outcome.fault == rigproto::Fault::none;
    const auto settled = co_await log_->settle(job, done ? LoggedJob::State::done : LoggedJob::State::failed,
                                               outcome.fault, outcome.detail);
    if (!settled) co_return fail(settled.error());
    if (!done) {
        std::vector<std::uint8_t> nothing;
        const auto status = co_await look_for<rigproto::StatusReply>(Op::status, std::move(nothing));
        // Not knowing is the same as standing still.
        outcome.latched = !status || status->state == rigproto::State::latched;
    }
    co_return outcome;
}

boost::asio::awaitable<Result<void>> SerialBoard::Session::settle_open_jobs() {
    const auto self = shared_from_this();
    const auto jobs = co_await log_->latest(latest_jobs);
    if (!jobs) co_return fail(jobs.error());
    Result<void> settled;
    for (const LoggedJob& open : *jobs) {
        if (open.state != LoggedJob::State::intended) continue;
        settled = co_await settle_open_job(open);
        if (!settled) co_return settled;
    }
    co_return Result<void>{};
}

/// An earlier program ended between asking for this job and hearing how it went.
boost::asio::awaitable<Result<void>> SerialBoard::Session::settle_open_job(const LoggedJob& open) {
    const auto self = shared_from_this();
    auto payload = bytes_of(rigproto::JobStatusRequest{open.job});
    const auto status = co_await look_for<rigproto::JobStatusReply>(Op::job_status, std::move(payload));
    if (!status) co_return fail(status.error());
    if (status->state == rigproto::JobState::unknown) {
        // Numbers rise: what is above the newest job that the board has begun never reached it.
        const bool never = open.job > hello.status.last_job;
        co_return co_await log_->settle(open.job, never ? LoggedJob::State::refused : LoggedJob::State::unknown, {}, 0);
    }
    waiting_[open.job] = {};
    if (status->state != rigproto::JobState::running)
        waiting_[open.job].outcome = JobOutcome{open.job, status->fault, status->detail, false};
    auto outcome = co_await outcome_of(open.job, open.intent.what);
    const bool forgotten = waiting_[open.job].forgotten;
    waiting_.erase(open.job);
    if (!outcome && !forgotten) co_return fail(outcome.error());
    co_return Result<void>{};
}

} // namespace mediarig::rig
