// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/resident/lab_client.hpp"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <utility>

#include "host/agent/client/stream_link.hpp"
#include "host/base/async/ask_line.hpp"
#include "host/base/local_socket.hpp"

namespace mediarig::lab {
namespace asio = boost::asio;
using nlohmann::json;

namespace {

/// Time for the agent to clean up after a client; see MachineTimeouts::release.
constexpr std::chrono::minutes release{4};

Error nobody_at(const LabPaths& place) {
    if (const auto process = lab_process(place))
        return {Errc::rig_fault,
                fmt::format("the lab of process {} is starting or ending: try again in a moment", *process)};
    return {Errc::rig_fault, "no lab runs: start one with 'mediarig lab start'"};
}

/// A status is in the server's memory. Other requests wait for the guest, for cards and for earlier requests; a script
/// may take ten minutes. Sizes: a status contains a few dozen slots, a script's output is that of the guest.
AnswerLimit limit_of(const LabRequest& request) {
    using namespace std::chrono_literals;
    constexpr std::size_t mebibyte = std::size_t{1} << 20;
    if (std::holds_alternative<StatusRequest>(request)) return {.bytes = mebibyte, .time = 10s};
    if (std::holds_alternative<RunScript>(request)) return {.bytes = 64 * mebibyte, .time = 12min};
    return {.bytes = mebibyte, .time = 6min};
}

Result<LocalSocket> connect_to_lab(const boost::asio::any_io_executor& executor, const LabPaths& place) {
    const auto folder = open_socket_folder(place.folder, "set MEDIARIG_LAB_DIR to another folder");
    if (!folder) return fail(folder.error());
    if (!*folder) return fail(nobody_at(place));
    auto connected = connect_in((*folder)->get(), place.control().filename().string(), place.folder);
    if (!connected) return fail(connected.error());
    if (!*connected) return fail(nobody_at(place));
    return as_socket(executor, std::move(**connected));
}

asio::awaitable<Result<json>> ask(LocalSocket& socket, const LabRequest& request) {
    auto answer = co_await ask_line(socket, request_line(request) + '\n', limit_of(request), "the lab");
    if (answer) co_return parse_lab_answer(*answer);
    const bool ended = answer.error().code == Errc::agent_lost;
    co_return fail(Errc::rig_fault, answer.error().detail + (ended ? ": start it again"
                                                                   : ": stop it with 'mediarig lab stop', or end its "
                                                                     "process"));
}

} // namespace

Result<json> ask_lab(const LabPaths& place, const LabRequest& request) {
    // Other requests may take minutes: a lab that does not respond is detected by its status.
    if (!std::holds_alternative<StatusRequest>(request))
        if (auto status = ask_lab(place, StatusRequest{}); !status) return fail(status.error());
    asio::io_context io(1);
    auto socket = connect_to_lab(io.get_executor(), place);
    if (!socket) return fail(socket.error());
    Result<json> answer = fail(Errc::rig_fault, "the lab received no request");
    asio::co_spawn(
        io, [&]() -> asio::awaitable<void> { answer = co_await ask(*socket, request); },
        [](const std::exception_ptr& broken) {
            if (broken) std::rethrow_exception(broken);
        });
    io.run();
    return answer;
}

asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> link_to_lab(LabPaths place) {
    const auto executor = co_await asio::this_coro::executor;
    auto status_socket = connect_to_lab(executor, place);
    if (!status_socket) co_return fail(status_socket.error());
    const LabRequest status = StatusRequest{};
    if (auto responds = co_await ask(*status_socket, status); !responds) co_return fail(std::move(responds.error()));
    auto socket = connect_to_lab(executor, place);
    if (!socket) co_return fail(socket.error());
    const LabRequest request = UseAgent{};
    auto lent = co_await ask(*socket, request);
    if (!lent) co_return fail(std::move(lent.error()));
    std::string description = "lab";
    co_return std::make_unique<agent::StreamLink>(std::move(*socket), std::move(description), release);
}

} // namespace mediarig::lab
