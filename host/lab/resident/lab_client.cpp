// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/resident/lab_client.hpp"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/write.hpp>
#include <exception>
#include <utility>

#include "host/agent/client/stream_link.hpp"
#include "host/base/async/as_values.hpp"
#include "host/lab/qmp/unix_socket.hpp"

namespace mediarig::lab {
namespace asio = boost::asio;
using nlohmann::json;

namespace {

/// Time for the agent to clean up after a client; see Patience::release.
constexpr std::chrono::minutes release{4};

Error nobody_at(const LabPlace& place) {
    if (const auto process = lab_process(place))
        return {Errc::rig_fault,
                fmt::format("the lab of process {} is just starting or ending: try again in a moment", *process)};
    return {Errc::rig_fault, "no lab runs: start one with 'mediarig lab start'"};
}

/// An answer is one line; no further line follows before the next request.
asio::awaitable<Result<json>> ask(UnixSocket& socket, const LabPlace& place, const LabRequest& request) {
    boost::system::error_code refused;
    socket.connect(asio::local::stream_protocol::endpoint(place.control().string()), refused);
    if (refused) co_return fail(nobody_at(place));
    const std::string line = request_line(request) + "\n";
    const auto [unsent, sent] = co_await asio::async_write(socket, asio::buffer(line), as_values);
    std::string answer;
    boost::system::error_code lost = unsent;
    if (!lost) {
        const auto [ended, length] =
            co_await asio::async_read_until(socket, asio::dynamic_buffer(answer), '\n', as_values);
        lost = ended;
    }
    if (lost) co_return fail(Errc::rig_fault, "the lab ended before it had answered: start it again");
    co_return parse_lab_answer(answer);
}

} // namespace

Result<json> ask_lab(const LabPlace& place, const LabRequest& request) {
    asio::io_context io(1);
    UnixSocket socket(io);
    Result<json> answer = fail(Errc::rig_fault, "the lab was never asked");
    asio::co_spawn(
        io, [&]() -> asio::awaitable<void> { answer = co_await ask(socket, place, request); },
        [](const std::exception_ptr& broken) {
            if (broken) std::rethrow_exception(broken);
        });
    io.run();
    return answer;
}

asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> link_to_lab(LabPlace place) {
    UnixSocket socket(co_await asio::this_coro::executor);
    const LabRequest request = UseAgent{};
    auto lent = co_await ask(socket, place, request);
    if (!lent) co_return fail(std::move(lent.error()));
    std::string description = "lab";
    co_return std::make_unique<agent::StreamLink>(std::move(socket), std::move(description), release);
}

} // namespace mediarig::lab
