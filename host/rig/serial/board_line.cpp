// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/serial/board_line.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "host/base/async/as_values.hpp"

namespace mediarig::rig {
namespace asio = boost::asio;
namespace {

/// A line with this number of unsent bytes counts as dead: a board never receives this number at once.
constexpr std::size_t most_waiting = 64 * 1024;

} // namespace

BoardLine::BoardLine(asio::serial_port port, std::string path)
    : port_(std::move(port)), path_(std::move(path)), wakeup_(port_.get_executor()) {}

Result<std::shared_ptr<BoardLine>> BoardLine::over(const asio::any_io_executor& executor, SerialPort line,
                                                   std::string path) {
    asio::serial_port port(executor);
    boost::system::error_code failed;
    port.assign(line.get(), failed);
    if (failed) return fail(Errc::io_failed, fmt::format("the line {} cannot be watched: {}", path, failed.message()));
    (void)line.release();
    return std::shared_ptr<BoardLine>(new BoardLine(std::move(port), std::move(path)));
}

void BoardLine::start(std::function<void()> news) {
    news_ = std::move(news);
    asio::co_spawn(
        port_.get_executor(), [self = shared_from_this()] { return self->read(); }, asio::detached);
}

void BoardLine::begin_session(std::uint16_t nonce) {
    link_ = HostLink(nonce);
    ++session_;
    flush();
    wakeup_.all();
}

asio::awaitable<Result<Answer>> BoardLine::request(rigproto::Op op, std::vector<std::uint8_t> payload) {
    const auto self = shared_from_this();
    const unsigned session = session_;
    // A request of one session must not be sent in the next one, least of all before its HELLO.
    const auto over = [this, session] { return lost_.has_value() || session != session_; };
    while (asking_ && !over()) co_await wakeup_.wait(Wakeup::Clock::time_point::max());
    if (over()) co_return fail(end_reason());
    asking_ = true;
    link_.ask(op, payload, Wakeup::Clock::now());
    flush();
    while (!over() && link_.pending()) {
        const auto until = link_.deadline().value_or(Wakeup::Clock::now());
        co_await wakeup_.wait(until);
        if (over()) break;
        link_.tick(Wakeup::Clock::now());
        flush();
        if (link_.lost())
            close({Errc::io_failed, fmt::format("the rig's board does not answer on {} any more", path_)});
    }
    std::optional<Answer> answer;
    if (!over()) answer = link_.take_answer();
    asking_ = false;
    wakeup_.all();
    if (answer) co_return std::move(*answer);
    co_return fail(end_reason());
}

Error BoardLine::end_reason() const {
    return lost_.value_or(Error{Errc::io_failed, "another session started on the rig's line"});
}

void BoardLine::bye() {
    // Do not send the message after half a frame, where it would be damaged. The session then ends by its lease.
    if (lost_ || writing_) return;
    const auto bytes = link_.bye();
    (void)!::write(port_.native_handle(), bytes.data(), bytes.size());
}

void BoardLine::stop() {
    link_.stop();
    flush();
}

void BoardLine::acknowledge(std::uint32_t event) {
    link_.acknowledge(event);
    flush();
}

void BoardLine::close(Error why) {
    if (lost_) return;
    lost_ = std::move(why);
    boost::system::error_code ignored;
    port_.close(ignored);
    outbox_.clear();
    wakeup_.all();
    if (news_) news_();
}

asio::awaitable<void> BoardLine::read() {
    const auto self = shared_from_this();
    std::array<std::uint8_t, 1024> buffer{};
    while (!lost_) {
        const auto [stopped, count] = co_await port_.async_read_some(asio::buffer(buffer), as_values);
        if (stopped) {
            close({Errc::io_failed, fmt::format("the line {} to the rig's board was closed", path_)});
            break;
        }
        heard_anything_ = true;
        link_.feed({buffer.data(), count});
        flush();
        wakeup_.all();
        if (news_) news_();
    }
    // The handler owns the owner of this line: release it.
    news_ = {};
}

void BoardLine::flush() {
    const auto bytes = link_.take_output();
    if (bytes.empty() || lost_) return;
    outbox_.insert(outbox_.end(), bytes.begin(), bytes.end());
    if (outbox_.size() > most_waiting)
        return close({Errc::io_failed, fmt::format("the line {} to the rig's board no longer accepts data", path_)});
    if (writing_) return;
    // Write without delay as much as the line accepts: the last message is then sent before the line is closed.
    const auto taken = ::write(port_.native_handle(), outbox_.data(), outbox_.size());
    if (taken > 0) outbox_.erase(outbox_.begin(), outbox_.begin() + taken);
    if (outbox_.empty()) return;
    writing_ = true;
    asio::co_spawn(
        port_.get_executor(), [self = shared_from_this()] { return self->write(); }, asio::detached);
}

asio::awaitable<void> BoardLine::write() {
    const auto self = shared_from_this();
    while (!outbox_.empty() && !lost_) {
        const std::vector<std::uint8_t> bytes = std::exchange(outbox_, {});
        const auto [stopped, count] = co_await asio::async_write(port_, asio::buffer(bytes), as_values);
        if (stopped) close({Errc::io_failed, fmt::format("the line {} to the rig's board was closed", path_)});
    }
    writing_ = false;
}

} // namespace mediarig::rig
