// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the line: opens it, beats, opens it again.
#include "host/rig/serial/board_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <utility>

#include "host/rig/serial/find_board.hpp"
#include "host/rig/serial/open_line.hpp"
#include "host/rig/text/text.hpp"

namespace mediarig::rig {
namespace asio = boost::asio;
using rigproto::Op;
using rigproto::Reject;

namespace {

/// A lease bears a dozen lost ones.
constexpr auto between_heartbeats = std::chrono::milliseconds(250);
constexpr auto between_tries_to_open = std::chrono::milliseconds(50);
constexpr auto between_stops = std::chrono::milliseconds(50);
constexpr auto stop_within = std::chrono::seconds(5);

} // namespace

std::string what_broke(const std::exception_ptr& broken) {
    try {
        std::rethrow_exception(broken);
    } catch (const std::exception& what) {
        return what.what();
    } catch (...) {
        return "without giving a reason";
    }
}

SerialBoard::Session::Session(asio::any_io_executor executor, BoardSettings settings, std::shared_ptr<AsyncRigLog> log)
    : executor_(std::move(executor)), settings_(std::move(settings)), log_(std::move(log)), wakeup_(executor_) {}

void SerialBoard::Session::end(Error cause) {
    if (ended_) return;
    ended_ = cause;
    // Whoever comes next need not wait for the lease.
    if (up_ && log_ != nullptr && line_) line_->bye();
    up_ = false;
    if (line_) line_->close(std::move(cause));
    wakeup_.all();
}

std::string SerialBoard::Session::path() const {
    return line_ ? line_->path() : settings_.path;
}

std::string SerialBoard::Session::description() const {
    const std::string serial = serial_of(hello);
    return fmt::format("mediarig-rig {}.{}.{}, firmware {}, {}", hello.firmware_major, hello.firmware_minor,
                       hello.firmware_patch,
                       std::string(hello.profile.begin(), std::find(hello.profile.begin(), hello.profile.end(), '\0')),
                       serial.empty() ? "no serial" : serial);
}

boost::asio::awaitable<Result<void>> SerialBoard::Session::open() {
    const auto self = shared_from_this();
    auto connected = co_await connect();
    // Whoever has answered once and then missed three questions is a board that was busy, not one that is missing.
    for (unsigned again = 1; !connected && connected.error().code == Errc::io_failed && again < tries; ++again)
        connected = co_await connect();
    if (!connected) {
        end(connected.error());
        co_return connected;
    }
    if (log_ == nullptr) co_return Result<void>{};
    asio::co_spawn(
        executor_, [self] { return self->keep_awake(); },
        [self](const std::exception_ptr& broken) {
            // Nobody would keep the board awake any more: whoever waits has to hear of it.
            if (broken) self->end({Errc::io_failed, "the link to the rig broke: " + what_broke(broken)});
        });
    auto settled = co_await settle_open_jobs();
    if (!settled) end(settled.error());
    co_return settled;
}

Result<std::string> SerialBoard::Session::locate() const {
    const std::string serial = greeted_before_ ? serial_of(hello) : std::string{};
    if (!settings_.path.empty() && serial.empty()) return settings_.path;
    if (settings_.path.empty()) return line_of_board(serial.empty() ? settings_.serial : serial);
    // The kernel may have given it another name; a pty or an adapter has no serial on the USB.
    return line_of_board(serial).value_or(settings_.path);
}

boost::asio::awaitable<Result<void>> SerialBoard::Session::connect() {
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
        // Whatever is wrong there, what follows begins with a line of its own.
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

boost::asio::awaitable<Result<void>> SerialBoard::Session::come_back() {
    const auto self = shared_from_this();
    const bool anew = line_ == nullptr || line_->lost().has_value();
    const auto until = Clock::now() + settings_.come_back_within;
    while (!ended_) {
        auto connected = co_await connect();
        if (connected) {
            if (anew) ++reconnects;
            co_return connected;
        }
        // Waiting makes neither a full disk nor a strange board better.
        if (connected.error().code == Errc::store_failed || stranger_) co_return connected;
        if (Clock::now() >= until)
            co_return fail(
                Errc::rig_fault,
                fmt::format("the rig's board was lost and did not come back within {} s: check its cable and "
                            "supply, then see mediarig rig status (at last: {})",
                            std::chrono::duration_cast<std::chrono::seconds>(settings_.come_back_within).count(),
                            connected.error().detail));
        const auto next = Clock::now() + between_tries_to_open;
        while (!ended_ && Clock::now() < next) co_await wakeup_.wait(next);
    }
    co_return fail(*ended_);
}

boost::asio::awaitable<void> SerialBoard::Session::keep_awake() {
    const auto self = shared_from_this();
    auto next = Clock::now();
    while (!ended_) {
        if (!up_ || greet_again_) {
            auto back = co_await come_back();
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

boost::asio::awaitable<Result<void>> SerialBoard::Session::heartbeat() {
    const auto self = shared_from_this();
    const auto line = line_;
    rigproto::HeartbeatRequest beat{static_cast<std::uint16_t>(settings_.lease.count())};
    auto payload = bytes_of(beat);
    const auto answer = co_await line->request(Op::heartbeat, std::move(payload));
    if (!answer) co_return fail(answer.error());
    // The board was started again, or had waited for too long: it wants to hear who we are.
    if (answer->rejection.reject != Reject::none) greet_again_ = true;
    co_return Result<void>{};
}

/// Until the board can be spoken with.
boost::asio::awaitable<Result<void>> SerialBoard::Session::connected() {
    const auto self = shared_from_this();
    while (!ended_ && (!up_ || greet_again_)) {
        // Nobody brings a board back that is only looked at.
        if (log_ == nullptr)
            co_return fail(line_ && line_->lost() ? *line_->lost()
                                                  : Error{Errc::io_failed, "the rig's board was lost"});
        co_await wakeup_.wait(Clock::time_point::max());
    }
    if (ended_) co_return fail(*ended_);
    co_return Result<void>{};
}

boost::asio::awaitable<Result<std::vector<std::uint8_t>>> SerialBoard::Session::look(
    Op op, std::vector<std::uint8_t> payload) {
    const auto self = shared_from_this();
    while (true) {
        auto ready = co_await connected();
        if (!ready) co_return fail(ready.error());
        const auto line = line_;
        auto copy = payload;
        auto answer = co_await line->request(op, std::move(copy));
        if (!answer) {
            // Lost, or greeted anew meanwhile; whoever keeps the line has heard of it as well.
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

boost::asio::awaitable<Result<void>> SerialBoard::Session::stop() {
    const auto self = shared_from_this();
    const auto until = Clock::now() + stop_within;
    while (Clock::now() < until) {
        if (ended_) co_return fail(*ended_);
        // Needs no session, so it is also said while the board is greeted.
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

} // namespace mediarig::rig
