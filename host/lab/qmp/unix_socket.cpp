// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/qmp/unix_socket.hpp"

#include <fmt/format.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "host/base/async/as_values.hpp"
#include "host/base/local_socket.hpp"

namespace mediarig::lab {
namespace asio = boost::asio;
namespace {

constexpr auto connect_interval = std::chrono::milliseconds(20);

} // namespace

asio::awaitable<Result<UnixSocket>> connect_to(std::string path, std::chrono::milliseconds within,
                                               std::function<std::optional<Error>()> give_up) {
    if (path.size() > longest_socket_path)
        co_return fail(Errc::bad_request,
                       fmt::format("the socket path {} is longer than the {} bytes that the system allows: choose a "
                                   "shorter directory",
                                   path, longest_socket_path));
    const auto executor = co_await asio::this_coro::executor;
    const auto until = std::chrono::steady_clock::now() + within;
    asio::steady_timer pause(executor);
    while (true) {
        UnixSocket socket(executor);
        const auto [failed] = co_await socket.async_connect(asio::local::stream_protocol::endpoint(path), as_values);
        if (!failed && !peer_of(socket.native_handle()).is_trusted)
            co_return fail(Errc::refused, fmt::format("another user's process listens at the socket {}", path));
        if (!failed) co_return std::move(socket);
        if (give_up)
            if (auto why = give_up()) co_return fail(std::move(*why));
        if (std::chrono::steady_clock::now() >= until)
            co_return fail(Errc::timed_out,
                           fmt::format("no process answers at the socket {}: {}", path, failed.message()));
        pause.expires_after(connect_interval);
        co_await pause.async_wait(as_values);
    }
}

} // namespace mediarig::lab
