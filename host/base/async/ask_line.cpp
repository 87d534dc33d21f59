// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/async/ask_line.hpp"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "host/base/async/as_values.hpp"

namespace mediarig {

namespace asio = boost::asio;

Result<LocalSocket> as_socket(const asio::any_io_executor& executor, Descriptor connected) {
    LocalSocket socket(executor);
    boost::system::error_code failed;
    socket.assign(asio::local::stream_protocol(), connected.get(), failed);
    if (failed) return fail(Errc::io_failed, fmt::format("a socket cannot be used: {}", failed.message()));
    (void)connected.release();
    return socket;
}

asio::awaitable<Result<std::string>> ask_line(LocalSocket& socket, std::string line, AnswerLimit limit,
                                              std::string peer) {
    bool late = false;
    const auto close = [&socket] {
        boost::system::error_code ignored;
        socket.close(ignored);
    };
    asio::steady_timer patience(socket.get_executor(), limit.time);
    patience.async_wait([&](boost::system::error_code stopped) {
        if (stopped) return;
        late = true;
        close();
    });
    const auto [unsent, sent] = co_await asio::async_write(socket, asio::buffer(line), as_values);
    std::string answer;
    boost::system::error_code lost = unsent;
    std::size_t length = 0;
    if (!lost) {
        const auto [ended, count] =
            co_await asio::async_read_until(socket, asio::dynamic_buffer(answer, limit.bytes), '\n', as_values);
        lost = ended;
        length = count;
    }
    // The handler refers to this coroutine frame: it must run or be destroyed before the frame ends.
    patience.cancel();
    co_await asio::post(socket.get_executor(), as_values);
    const bool is_whole = !lost && !late;
    if (!is_whole || length != answer.size()) close();
    if (late)
        co_return fail(Errc::timed_out, fmt::format("{} did not answer within {} s", peer, limit.time.count() / 1000));
    if (lost == asio::error::not_found)
        co_return fail(Errc::bad_format, fmt::format("the answer of {} is longer than {} bytes", peer, limit.bytes));
    if (lost) co_return fail(Errc::agent_lost, fmt::format("{} ended before it had answered", peer));
    if (length != answer.size())
        co_return fail(Errc::bad_format, fmt::format("{} sent more than one line in answer to one request", peer));
    answer.pop_back();
    co_return answer;
}

} // namespace mediarig
