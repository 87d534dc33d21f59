// SPDX-License-Identifier: GPL-3.0-or-later
// Maintains the serial line: opens it, sends heartbeats, and opens it again after a loss.
#include "host/rig/serial/board_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <utility>

#include "common/crc32.hpp"
#include "host/rig/port/rig_log.hpp"
#include "host/rig/port/rig_text.hpp"
#include "host/rig/serial/find_board.hpp"
#include "host/rig/serial/open_line.hpp"

namespace mediarig::rig {
namespace asio = boost::asio;
using rigproto::Op;
using rigproto::Reject;

namespace {

/// A lease survives a dozen lost heartbeats.
constexpr auto between_heartbeats = std::chrono::milliseconds(250);
constexpr auto between_tries_to_open = std::chrono::milliseconds(50);
constexpr auto between_stops = std::chrono::milliseconds(50);
constexpr auto stop_within = std::chrono::seconds(5);

} // namespace

std::string text_of_exception(const std::exception_ptr& broken) {
    try {
        std::rethrow_exception(broken);
    } catch (const std::exception& what) {
        return what.what();
    } catch (...) {
        return "without giving a reason";
    }
}

BoardSession::BoardSession(asio::any_io_executor executor, BoardSettings settings, std::shared_ptr<AsyncRigLog> log)
    : executor_(std::move(executor)), settings_(std::move(settings)), log_(std::move(log)), wakeup_(executor_) {}

void BoardSession::end(Error cause) {
    if (ended_) return;
    ended_ = cause;
    // End the session, so that the next program need not wait for the lease.
    if (up_ && log_ != nullptr && line_) line_->bye();
    up_ = false;
    if (line_) line_->close(std::move(cause));
    wakeup_.all();
}

std::string BoardSession::path() const {
    return line_ ? line_->path() : settings_.path;
}

std::string BoardSession::description() const {
    const std::string serial = serial_of(hello);
    return fmt::format("mediarig-rig {}.{}.{}, firmware {}, {}", hello.firmware_major, hello.firmware_minor,
                       hello.firmware_patch,
                       std::string(hello.profile.begin(), std::find(hello.profile.begin(), hello.profile.end(), '\0')),
                       serial.empty() ? "no serial" : serial);
}

boost::asio::awaitable<Result<void>> BoardSession::open() {
    const auto self = shared_from_this();
    auto connected = co_await connect();
    // Retry: a board that answered once and then missed three requests was busy, not missing.
    for (unsigned again = 1; !connected && connected.error().code == Errc::io_failed && again < tries; ++again)
        connected = co_await connect();
    if (!connected) {
        end(connected.error());
        co_return connected;
    }
    if (log_ == nullptr) co_return Result<void>{};
    asio::co_spawn(
        executor_, [self] { return self->send_heartbeats(); },
        [self](const std::exception_ptr& broken) {
            // The heartbeat has stopped: all waiting calls must end.
            if (broken) self->end({Errc::io_failed, "the link to the rig failed: " + text_of_exception(broken)});
        });
    auto settled = co_await resolve_open_jobs();
    if (!settled) end(settled.error());
    co_return settled;
}

Result<std::string> BoardSession::locate() const {
    const std::string serial = greeted_before_ ? serial_of(hello) : std::string{};
    if (!settings_.path.empty() && serial.empty()) return settings_.path;
    if (settings_.path.empty()) return line_of_board(serial.empty() ? settings_.serial : serial);
    // The kernel may have changed the name of the line; a pty or an adapter has no USB serial.
    return line_of_board(serial).value_or(settings_.path);
}

boost::asio::awaitable<Result<void>> BoardSession::connect() {
    const auto self = shared_from_this();
    up_ = false;
    greet_again_ = false;
    if (line_ && line_->lost()) line_.reset();
    if (!line_) {
        const auto path = locate();
        if (!path) co_return fail(path.error());
        auto opened = open_line(*path);
        if (!opened) co_return fail(opened.error());
        auto taken = BoardLine::over(executor_, std::move(*opened), *path);
        if (!taken) co_return fail(taken.error());
        line_ = std::move(*taken);
        line_->start([weak = weak_from_this()] {
            if (const auto alive = weak.lock()) alive->hear();
        });
    }
    auto greeted = co_await greet();
    if (greeted && ended_) greeted = fail(*ended_);
    if (!greeted) {
        // The next attempt begins with a new line, whatever the error.
        if (line_) line_->close(greeted.error());
        line_.reset();
        co_return greeted;
    }
    greeted_before_ = true;
    ++greetings_;
    up_ = true;
    hear();
    co_return Result<void>{};
}

boost::asio::awaitable<Result<void>> BoardSession::reconnect() {
    const auto self = shared_from_this();
    const bool anew = line_ == nullptr || line_->lost().has_value();
    const auto until = Clock::now() + settings_.come_back_within;
    while (!ended_) {
        auto connected = co_await connect();
        if (connected) {
            if (anew) ++reconnects;
            co_return connected;
        }
        // Do not retry: waiting fixes neither a full disk nor a wrong board.
        if (connected.error().code == Errc::store_failed || stranger_) co_return connected;
        if (Clock::now() >= until)
            co_return fail(
                Errc::rig_fault,
                fmt::format("the rig's board was lost and did not come back within {} s: check its cable and "
                            "supply, then see mediarig rig status (last error: {})",
                            std::chrono::duration_cast<std::chrono::seconds>(settings_.come_back_within).count(),
                            connected.error().detail));
        const auto next = Clock::now() + between_tries_to_open;
        while (!ended_ && Clock::now() < next) co_await wakeup_.wait(next);
    }
    co_return fail(*ended_);
}

boost::asio::awaitable<void> BoardSession::send_heartbeats() {
    const auto self = shared_from_this();
    auto next = Clock::now();
    while (!ended_) {
        if (!up_ || greet_again_) {
            auto back = co_await reconnect();
            if (!back) end(back.error());
            continue;
        }
        if (Clock::now() < next) {
            co_await wakeup_.wait(next);
            continue;
        }
        next = Clock::now() + between_heartbeats;
        (void)co_await heartbeat();
    }
}

boost::asio::awaitable<Result<void>> BoardSession::heartbeat() {
    const auto self = shared_from_this();
    const auto line = line_;
    rigproto::HeartbeatRequest beat{static_cast<std::uint16_t>(settings_.lease.count())};
    auto payload = bytes_of(beat);
    const auto answer = co_await line->request(Op::heartbeat, std::move(payload));
    if (!answer) co_return fail(answer.error());
    // The board was restarted or its lease expired: it needs a new HELLO.
    if (answer->rejection.reject != Reject::none) greet_again_ = true;
    co_return Result<void>{};
}

/// Waits until the board accepts requests.
boost::asio::awaitable<Result<void>> BoardSession::connected() {
    const auto self = shared_from_this();
    while (!ended_ && (!up_ || greet_again_)) {
        // Without a ledger the session is read-only and does not reconnect.
        if (log_ == nullptr)
            co_return fail(line_ && line_->lost() ? *line_->lost()
                                                  : Error{Errc::io_failed, "the rig's board was lost"});
        co_await wakeup_.wait(Clock::time_point::max());
    }
    if (ended_) co_return fail(*ended_);
    co_return Result<void>{};
}

boost::asio::awaitable<Result<std::vector<std::uint8_t>>> BoardSession::look(Op op, std::vector<std::uint8_t> payload) {
    const auto self = shared_from_this();
    while (true) {
        auto ready = co_await connected();
        if (!ready) co_return fail(ready.error());
        const auto line = line_;
        auto copy = payload;
        auto answer = co_await line->request(op, std::move(copy));
        if (!answer) {
            // The line was lost, or a new session began; the coroutine that keeps the line has noticed it too.
            if (log_ == nullptr) co_return fail(answer.error());
            continue;
        }
        if (answer->rejection.reject == Reject::none) co_return std::move(answer->payload);
        if (answer->rejection.reject != Reject::no_session)
            co_return fail(Errc::rig_fault, fmt::format("the rig's board does not report its {}: {}", name_of(op),
                                                        explain(answer->rejection)));
        greet_again_ = true;
        wakeup_.all();
    }
}

boost::asio::awaitable<Result<void>> BoardSession::stop() {
    const auto self = shared_from_this();
    const auto until = Clock::now() + stop_within;
    while (Clock::now() < until) {
        if (ended_) co_return fail(*ended_);
        // STOP needs no session, so it is also sent during the greeting.
        if (line_ && !line_->lost()) line_->stop();
        const auto next = Clock::now() + between_stops;
        while (Clock::now() < next) {
            if (line_ && line_->take_stopped()) co_return Result<void>{};
            if (ended_) co_return fail(*ended_);
            co_await wakeup_.wait(next);
        }
    }
    co_return fail(Errc::timed_out,
                   "the rig did not confirm the stop: press the emergency stop, then look at the rig's cable");
}

// Events are stored first, then acknowledged, then passed to the listener.
namespace asio = boost::asio;
using rigproto::EventKind;

void BoardSession::hear() {
    if (line_ && line_->lost()) up_ = false;
    if (line_ && up_ && log_ != nullptr && !hearing_) {
        hearing_ = true;
        asio::co_spawn(
            executor_, [self = shared_from_this()] { return self->keep_events(); },
            [self = shared_from_this()](const std::exception_ptr& broken) {
                if (broken)
                    self->end({Errc::io_failed, "recording the board's events failed: " + text_of_exception(broken)});
            });
    }
    wakeup_.all();
}

/// The running loop also stores events that arrive in the meantime.
asio::awaitable<void> BoardSession::keep_events() {
    const auto self = shared_from_this();
    Result<void> kept;
    while (up_ && kept) {
        const auto line = line_;
        const unsigned greetings = greetings_;
        const auto same_session = [&] { return up_ && greetings == greetings_; };
        std::uint32_t newest = 0;
        bool any = false;
        while (kept && same_session()) {
            auto event = line->take_event();
            if (!event) break;
            any = true;
            const std::uint32_t id = event->head.id;
            kept = co_await take(std::move(*event));
            if (kept) newest = std::max(newest, id);
            wakeup_.all();
        }
        // After a new session the board repeats unacknowledged events, or restarts its count.
        if (newest != 0 && same_session()) line->acknowledge(newest);
        if (!any) break;
    }
    hearing_ = false;
    if (!kept) end(kept.error());
}

asio::awaitable<Result<void>> BoardSession::take(BoardEvent event) {
    const auto self = shared_from_this();
    const LoggedEvent logged{epoch_, event.head.id, event.kind, event.payload};
    if (event.head.id != 0) {
        auto kept = co_await log_->keep(logged);
        if (!kept) co_return kept;
    }
    if (event.kind == EventKind::job_done || event.kind == EventKind::job_failed) {
        const auto body = std::span(event.payload).subspan(rigproto::size_of<rigproto::EventHead>());
        const auto job = rigproto::decode<rigproto::JobEvent>(body);
        const auto found = job ? waiting_.find(job->job) : waiting_.end();
        if (found != waiting_.end()) found->second.outcome = RigJobOutcome{job->job, job->fault, job->detail, false};
    }
    if (listener) listener(logged);
    co_return Result<void>{};
}

// Identity and state of the board, and permission to drive it.
using rigproto::Op;
using rigproto::Reject;

namespace {

constexpr std::string_view our_profile = "swap30";
constexpr auto boot_within = std::chrono::seconds(3);
/// The longest lease that a host can request, plus a margin.
constexpr auto longest_lease = std::chrono::milliseconds(5500);
constexpr auto between_greetings = std::chrono::milliseconds(250);
constexpr auto between_looks = std::chrono::milliseconds(10);

tl::unexpected<Error> other_major(unsigned theirs) {
    const bool newer = theirs > rigproto::protocol_major;
    return fail(
        Errc::rig_fault,
        fmt::format("the rig's firmware speaks major version {} of the protocol, this mediarig {}: update {}; "
                    "until then mediarig rig status and stop work, nothing else",
                    theirs, rigproto::protocol_major,
                    newer ? "mediarig" : "the firmware (copy mediarig-rig.uf2 onto the board in its boot loader)"));
}

tl::unexpected<Error> no_rig(const BoardLine& line) {
    if (line.has_received())
        return fail(Errc::rig_fault,
                    fmt::format("the device on {} is not a rig: name another line with --rig PATH", line.path()));
    return fail(Errc::rig_fault,
                fmt::format("no answer on {}: check that it is the rig's serial line and that the firmware runs; "
                            "mediarig rig find lists the rigs on USB",
                            line.path()));
}

std::string text_of(std::span<const char> padded) {
    return {padded.begin(), std::find(padded.begin(), padded.end(), '\0')};
}

/// Explains why a configuration is refused, and names the readers that prevent it.
std::string why_not(rigproto::Rejection rejection, const rigproto::StatusReply& status) {
    using rigproto::Interlock;
    if (rejection.reject == Reject::out_of_range)
        return "a value of the rig file is impossible; check travels, speeds, accelerations and places";
    if (rejection.reject == Reject::interlock && rejection.interlock == Interlock::card_present)
        return fmt::format(
            "places cannot be changed while cards are in readers (now {}): take the cards out with the old rig file, "
            "or "
            "switch the rig off and on",
            numbers_of(PortSet{static_cast<std::uint8_t>(status.cards | status.occupied)}));
    if (rejection.reject == Reject::interlock && rejection.interlock == Interlock::port_powered)
        return fmt::format(
            "it cannot be changed while ports have voltage (now {}): switch the ports off with the old rig file, or "
            "switch "
            "the rig off and on",
            numbers_of(PortSet{status.powered}));
    return explain(rejection);
}

/// Replaces the git revision in the answers of the simulated rig's firmware.
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

std::uint16_t BoardSession::new_nonce() {
    // The board refuses the last four nonces: frames with them may still be in transit.
    std::uniform_int_distribution<unsigned> any(1, 0xFFFF);
    std::uint16_t nonce = 0;
    do nonce = static_cast<std::uint16_t>(any(random_));
    while (std::find(nonces_.begin(), nonces_.end(), nonce) != nonces_.end());
    std::shift_right(nonces_.begin(), nonces_.end(), 1);
    nonces_[0] = nonce;
    return nonce;
}

/// Waits for a session that another program did not end, at most until its lease has expired.
boost::asio::awaitable<Result<rig::Answer>> BoardSession::send_hello() {
    const auto self = shared_from_this();
    const auto line = line_;
    const auto until = Clock::now() + longest_lease;
    // Declared outside the loop: with optimisation, GCC 12 reports the destruction of an answer in a coroutine's loop
    // as a wrong delete.
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

boost::asio::awaitable<Result<void>> BoardSession::greet() {
    const auto self = shared_from_this();
    const auto line = line_;
    const auto answer = co_await send_hello();
    if (ended_) co_return fail(*ended_);
    if (!answer && !greeted_before_) co_return no_rig(*line);
    if (!answer) co_return fail(answer.error());
    if (answer->rejection.reject != Reject::none || answer->payload.empty())
        co_return fail(Errc::rig_fault,
                       fmt::format("the rig's board refuses the greeting: {}", explain(answer->rejection)));
    const unsigned major = answer->payload[0];
    if (major != rigproto::protocol_major && log_ != nullptr) co_return other_major(major);
    read_only = major != rigproto::protocol_major;
    const auto reply = rigproto::decode<rigproto::HelloReply>(answer->payload);
    if (!reply && read_only) co_return other_major(major);
    if (!reply)
        co_return fail(
            Errc::rig_fault,
            fmt::format("the device on {} is not a rig that this mediarig knows: update one of them", line->path()));
    if (auto same = check_identity(*reply); !same) co_return same;
    hello = *reply;
    if (log_ == nullptr) co_return Result<void>{};
    auto met = co_await reconcile_ledger();
    if (!met) co_return met;
    auto configured = co_await configure();
    if (!configured) co_return configured;
    co_return co_await wait_for_boot();
}

Result<void> BoardSession::check_identity(const rigproto::HelloReply& reply) {
    const std::string profile = text_of(reply.profile);
    if (profile != our_profile)
        return fail(Errc::rig_fault, fmt::format("the board is built as \"{}\", but this mediarig drives \"{}\": the "
                                                 "board belongs to another kind of rig",
                                                 profile, our_profile));
    // A read-only session or a stop does not use the pins of the board.
    if (const auto other_map = explain_pin_map(reply.pin_map_hash); other_map && log_ != nullptr)
        return fail(Errc::rig_fault, *other_map);
    stranger_ = greeted_before_ && reply.unique_id != hello.unique_id;
    if (stranger_)
        return fail(Errc::rig_fault,
                    fmt::format("another board answers now: {} instead of {}", serial_of(reply), serial_of(hello)));
    return {};
}

boost::asio::awaitable<Result<void>> BoardSession::reconcile_ledger() {
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
    co_return co_await clear_jobs();
}

/// True if the board was started cold. The board reports this until it has executed a job, which another program may
/// have requested since. A job of this ledger that is missing from the board's history also proves a cold start.
boost::asio::awaitable<Result<bool>> BoardSession::started_cold() {
    const auto self = shared_from_this();
    if (hello.cold_start != 0) co_return true;
    const auto jobs = co_await log_->latest(latest_jobs);
    if (!jobs) co_return fail(jobs.error());
    co_return std::any_of(jobs->begin(), jobs->end(), [this](const LoggedJob& job) {
        const bool accepted = job.state == LoggedJob::State::done || job.state == LoggedJob::State::failed;
        return accepted && job.job > hello.status.last_job;
    });
}

boost::asio::awaitable<Result<void>> BoardSession::clear_jobs() {
    const auto self = shared_from_this();
    const auto jobs = co_await log_->latest(latest_jobs);
    if (!jobs) co_return fail(jobs.error());
    Result<void> settled;
    for (const LoggedJob& job : *jobs) {
        if (job.state != LoggedJob::State::intended) continue;
        settled = co_await log_->resolve(job.job, LoggedJob::State::unknown, {}, 0);
        if (!settled) co_return settled;
    }
    for (auto& [job, waiting] : waiting_) waiting.forgotten = true;
    co_return Result<void>{};
}

boost::asio::awaitable<Result<void>> BoardSession::configure() {
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
                       "the rig's board reports a different configuration from the one sent: update its firmware");
    co_return Result<void>{};
}

/// A board that has just been started checks its inputs first, and accepts no jobs during that time.
boost::asio::awaitable<Result<void>> BoardSession::wait_for_boot() {
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

// Jobs: recorded, requested, awaited, settled.
using rigproto::Op;
using rigproto::Reject;

namespace {

/// An event reports the end of a job. Polling detects the end if the event was lost with its line.
constexpr auto between_questions = std::chrono::milliseconds(1000);
constexpr auto between_tries = std::chrono::milliseconds(50);
/// Time limit for temporary refusals: ports that settle, events that wait for their acknowledgement, a session that is
/// restarted.
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

struct OperationName {
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
        return fmt::format("mark reader {} as empty", numbers_of(empty.readers));
    }
    std::string operator()(const Jog& jog) const {
        return fmt::format("jog {} to {}", jog.axis == rigproto::Axis::x ? "x" : "z", jog.position);
    }
    std::string operator()(const Bootloader&) const { return "start the boot loader"; }
};

struct WireOperation {
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
    return std::visit(OperationName{}, operation);
}

/// Explains why the board refused this operation; more specific than the general text of the code.
std::string reason_of(const Operation& operation, rigproto::Rejection rejection, const rigproto::Config& rig) {
    const bool moves = std::holds_alternative<Home>(operation) || std::holds_alternative<Park>(operation) ||
                       std::holds_alternative<Load>(operation) || std::holds_alternative<Unload>(operation) ||
                       std::holds_alternative<Identify>(operation);
    if (rejection.reject == Reject::out_of_range && rig.pockets == 0 && moves)
        return "this rig has no carriage: its rig file has a magazine without pockets";
    if (rejection.reject == Reject::out_of_range && rig.z_nest == 0 && std::holds_alternative<Identify>(operation))
        return "this rig has no identity nest: its rig file does not describe a nest";
    if (rejection.reject == Reject::latched && std::holds_alternative<Clear>(operation))
        return "the cause of the stop is still present; mediarig rig status shows it";
    return explain(rejection);
}

JobRequest request_of(std::uint32_t job, const Operation& operation) {
    return std::visit(WireOperation{job}, operation);
}

boost::asio::awaitable<Result<RigJobOutcome>> BoardSession::act(Operation operation) {
    const auto self = shared_from_this();
    if (log_ == nullptr)
        co_return fail(Errc::refused, fmt::format("{} is not executed: the rig is opened read-only", told(operation)));
    if (ended_) co_return fail(*ended_);
    if (const auto* load = std::get_if<Load>(&operation); load != nullptr)
        if (auto vouched = co_await confirm_empty(load->into); !vouched) co_return fail(vouched.error());
    const Intent intent{.what = operation, .why = why};
    const auto job = co_await log_->intend(intent);
    if (!job) co_return fail(job.error());
    waiting_[*job] = {};
    rigproto::Rejection rejection;
    const auto begun = co_await begin(*job, operation, rejection);
    Result<RigJobOutcome> outcome = fail(Errc::rig_fault, "");
    if (!begun) {
        outcome = fail(begun.error());
    } else if (*begun == JobReception::refused) {
        outcome = fail(Errc::rig_fault, fmt::format("the rig refuses to {}: {}", told(operation),
                                                    reason_of(operation, rejection, settings_.config)));
        const auto settled = co_await log_->resolve(*job, LoggedJob::State::refused, rigproto::Fault::none,
                                                    static_cast<std::uint8_t>(rejection.reject));
        if (!settled) outcome = fail(settled.error());
    } else {
        outcome = co_await outcome_of(*job, operation);
    }
    waiting_.erase(*job);
    co_return outcome;
}

/// Declares a reader empty if this ledger proves it, because after a power loss a board does not know which readers are
/// empty. A user must declare all other readers.
boost::asio::awaitable<Result<void>> BoardSession::confirm_empty(PortIndex reader) {
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
    // If the board refuses, for example because it sees a card, it also refuses the load and reports the reason.
    (void)co_await act(empty);
    co_return Result<void>{};
}

boost::asio::awaitable<Result<BoardSession::JobReception>> BoardSession::begin(std::uint32_t job,
                                                                               const Operation& operation,
                                                                               rigproto::Rejection& rejection) {
    const auto self = shared_from_this();
    const auto patience = Clock::now() + worth_waiting;
    while (true) {
        auto ready = co_await connected();
        if (!ready)
            co_return fail(ready.error().code,
                           fmt::format("{} was not confirmed: {}", told(operation), ready.error().detail));
        // A board that has lost its history might execute a repeated request twice.
        if (waiting_[job].forgotten) co_return JobReception::forgotten;
        const auto line = line_;
        auto request = request_of(job, operation);
        const auto answer = co_await line->request(request.op, std::move(request.payload));
        if (!answer) continue;
        if (answer->rejection.reject == Reject::none) co_return JobReception::accepted;
        rejection = answer->rejection;
        if (!passes(rejection) || Clock::now() >= patience) co_return JobReception::refused;
        if (wants_greeting(rejection.reject)) {
            greet_again_ = true;
            wakeup_.all();
            continue;
        }
        const auto next = Clock::now() + between_tries;
        while (!ended_ && Clock::now() < next) co_await wakeup_.wait(next);
    }
}

/// Queries the state of the job if the line is up; otherwise does nothing.
boost::asio::awaitable<Result<void>> BoardSession::ask_after(std::uint32_t job) {
    const auto self = shared_from_this();
    auto payload = bytes_of(rigproto::JobStatusRequest{job});
    const auto status = co_await look_for<rigproto::JobStatusReply>(Op::job_status, std::move(payload));
    if (!status) co_return fail(status.error());
    const auto found = waiting_.find(job);
    if (found == waiting_.end()) co_return Result<void>{};
    if (status->state == rigproto::JobState::unknown) found->second.forgotten = true;
    if (status->state == rigproto::JobState::done || status->state == rigproto::JobState::failed)
        found->second.outcome = RigJobOutcome{job, status->fault, status->detail, false};
    co_return Result<void>{};
}

boost::asio::awaitable<Result<RigJobOutcome>> BoardSession::outcome_of(std::uint32_t job, const Operation& operation) {
    const auto self = shared_from_this();
    const auto until = Clock::now() + settings_.job_within;
    auto question = Clock::now() + between_questions;
    unsigned seen = reconnects;
    while (!waiting_[job].outcome && !waiting_[job].forgotten) {
        if (ended_)
            co_return fail(ended_->code,
                           fmt::format("the result of {} is unknown: {}", told(operation), ended_->detail));
        if (Clock::now() >= until)
            co_return fail(
                Errc::timed_out,
                fmt::format(
                    "the rig did not finish the job \"{}\" within {} s: run mediarig rig stop, then check the rig",
                    told(operation), std::chrono::duration_cast<std::chrono::seconds>(settings_.job_within).count()));
        if (up_ && (Clock::now() >= question || seen != reconnects)) {
            seen = reconnects;
            question = Clock::now() + between_questions;
            (void)co_await ask_after(job);
            continue;
        }
        // A query that is due while the line is down waits for the line: an expired timer would keep other coroutines
        // from running.
        co_await wakeup_.wait(up_ ? std::min(question, until) : until);
    }
    if (!waiting_[job].outcome)
        co_return fail(Errc::rig_fault, fmt::format("the rig's board was switched off and on during {}: its progress "
                                                    "is unknown; find the card, then run mediarig rig home",
                                                    told(operation)));
    RigJobOutcome outcome = *waiting_[job].outcome;
    const bool done = outcome.fault == rigproto::Fault::none;
    const auto settled = co_await log_->resolve(job, done ? LoggedJob::State::done : LoggedJob::State::failed,
                                                outcome.fault, outcome.detail);
    if (!settled) co_return fail(settled.error());
    if (!done) {
        std::vector<std::uint8_t> nothing;
        const auto status = co_await look_for<rigproto::StatusReply>(Op::status, std::move(nothing));
        // An unknown state counts as latched.
        outcome.latched = !status || status->state == rigproto::State::latched;
    }
    co_return outcome;
}

boost::asio::awaitable<Result<void>> BoardSession::resolve_open_jobs() {
    const auto self = shared_from_this();
    const auto jobs = co_await log_->latest(latest_jobs);
    if (!jobs) co_return fail(jobs.error());
    Result<void> settled;
    for (const LoggedJob& open : *jobs) {
        if (open.state != LoggedJob::State::intended) continue;
        settled = co_await resolve_open_job(open);
        if (!settled) co_return settled;
    }
    co_return Result<void>{};
}

/// Settles a job whose program ended between the request and its result.
boost::asio::awaitable<Result<void>> BoardSession::resolve_open_job(const LoggedJob& open) {
    const auto self = shared_from_this();
    auto payload = bytes_of(rigproto::JobStatusRequest{open.job});
    const auto status = co_await look_for<rigproto::JobStatusReply>(Op::job_status, std::move(payload));
    if (!status) co_return fail(status.error());
    if (status->state == rigproto::JobState::unknown) {
        // Job numbers rise: a number above the board's newest job never reached the board.
        const bool never = open.job > hello.status.last_job;
        co_return co_await log_->resolve(open.job, never ? LoggedJob::State::refused : LoggedJob::State::unknown, {},
                                         0);
    }
    waiting_[open.job] = {};
    if (status->state != rigproto::JobState::running)
        waiting_[open.job].outcome = RigJobOutcome{open.job, status->fault, status->detail, false};
    auto outcome = co_await outcome_of(open.job, open.intent.what);
    const bool forgotten = waiting_[open.job].forgotten;
    waiting_.erase(open.job);
    if (!outcome && !forgotten) co_return fail(outcome.error());
    co_return Result<void>{};
}

} // namespace mediarig::rig
