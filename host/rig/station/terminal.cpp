// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/station/terminal.hpp"

#include <unistd.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>

#include "host/base/text.hpp"

namespace mediarig::rig {

namespace asio = boost::asio;

Terminal::Terminal(const asio::any_io_executor& executor, int in, int out) : in_(executor), out_(::dup(out)) {
    boost::system::error_code cannot;
    // A file or a closed terminal cannot be polled: then there is no input.
    in_.assign(::dup(in), cannot);
    ended_ = static_cast<bool>(cannot);
}

Terminal::~Terminal() {
    ::close(out_);
}

void Terminal::tell(const std::string& line) {
    const bool draws = ::isatty(out_) == 1;
    // Clears the progress line; its owner draws it again.
    const std::string text = (draws ? "\r\x1b[K>> " : ">> ") + printable(line) + "\n";
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t wrote = ::write(out_, text.data() + done, text.size() - done);
        if (wrote <= 0) return;
        done += static_cast<std::size_t>(wrote);
    }
}

std::optional<std::string> Terminal::take_line() {
    const std::size_t end = typed_.find('\n');
    if (end == std::string::npos) return std::nullopt;
    std::string line = typed_.substr(0, end);
    typed_.erase(0, end + 1);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    return line;
}

asio::awaitable<std::optional<std::string>> Terminal::hear(std::chrono::milliseconds within) {
    if (auto line = take_line()) co_return line;
    asio::steady_timer timer(in_.get_executor(), within);
    if (ended_) {
        (void)co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
        co_return std::nullopt;
    }
    // The timer's handler may run after the read and the terminal have ended.
    const auto reading = std::make_shared<bool>(true);
    timer.async_wait([this, reading](const boost::system::error_code& cancelled) {
        boost::system::error_code none;
        if (!cancelled && *reading) in_.cancel(none);
    });
    std::array<char, 256> some{};
    const auto [error, count] = co_await in_.async_read_some(asio::buffer(some), asio::as_tuple(asio::use_awaitable));
    *reading = false;
    timer.cancel();
    if (error && error != asio::error::operation_aborted) ended_ = true;
    typed_.append(some.data(), count);
    co_return take_line();
}

} // namespace mediarig::rig
