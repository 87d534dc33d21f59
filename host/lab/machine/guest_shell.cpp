// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/machine/guest_shell.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>

#include "host/base/async/as_values.hpp"
#include "host/measure/encoding.hpp"

namespace mediarig::lab {
namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

/// Random, so that the id differs from requests that an earlier controller left unanswered.
std::string fresh_script_id() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}", random(), random());
}

} // namespace

std::string shell_request(const std::string& id, const std::string& script) {
    std::string line = id + " ";
    measure::encode_base64({reinterpret_cast<const std::uint8_t*>(script.data()), script.size()}, line);
    return line + "\n";
}

std::optional<Result<ShellAnswer>> shell_answer(const std::string& id, std::string_view line) {
    if (line.substr(0, id.size() + 1) != id + " ") return std::nullopt;
    line.remove_prefix(id.size() + 1);
    ShellAnswer answer;
    const auto [end, failed] = std::from_chars(line.data(), line.data() + line.size(), answer.exit_status);
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    const bool complete = failed == std::errc() && (line.empty() || line.front() == ' ');
    if (!line.empty()) line.remove_prefix(1);
    const auto output = measure::decode_base64(line);
    if (!complete || !output)
        return fail(Errc::bad_format, "the guest's shell did not answer with a status and output in base64");
    answer.output.assign(output->begin(), output->end());
    return answer;
}

GuestShell::GuestShell(asio::any_io_executor executor, std::string socket_path)
    : executor_(std::move(executor)), path_(std::move(socket_path)), free_(executor_) {}

void GuestShell::close() {
    closed_ = true;
    hang_up();
}

void GuestShell::hang_up() {
    boost::system::error_code ignored;
    if (socket_) socket_->close(ignored);
}

asio::awaitable<Result<ShellAnswer>> GuestShell::run(std::string script, milliseconds within) {
    const auto self = shared_from_this();
    while (busy_) co_await free_.wait();
    busy_ = true;
    auto answer = co_await ask(std::move(script), within);
    // A late answer would go to the next request, and the script may block the shell for ever.
    if (!answer) socket_.reset();
    busy_ = false;
    free_.notify();
    co_return answer;
}

asio::awaitable<Result<ShellAnswer>> GuestShell::ask(std::string script, milliseconds within) {
    const auto self = shared_from_this();
    if (!socket_) {
        std::function<std::optional<Error>()> give_up = [this]() -> std::optional<Error> {
            if (!closed_) return std::nullopt;
            return Error{Errc::rig_fault, "the connection to the guest's shell ended with the virtual machine"};
        };
        auto connected = co_await connect_to(path_, within, std::move(give_up));
        if (!connected) co_return fail(std::move(connected.error()));
        socket_.emplace(std::move(*connected));
        framer_ = agent::LineFramer();
    }
    bool late = false;
    asio::steady_timer patience(executor_, within);
    patience.async_wait([this, self, &late](boost::system::error_code stopped) {
        if (stopped) return;
        late = true;
        hang_up();
    });
    // The leading line break ends a partial line of an earlier controller.
    const std::string id = fresh_script_id();
    const std::string request = "\n" + shell_request(id, script);
    const auto [not_sent, sent] = co_await asio::async_write(*socket_, asio::buffer(request), as_values);
    std::optional<Result<ShellAnswer>> answer;
    std::array<char, 16384> buffer{};
    bool lost = static_cast<bool>(not_sent);
    while (!answer && !lost) {
        if (const auto frame = framer_.next()) {
            answer = shell_answer(id, frame->text);
            continue;
        }
        const auto [stopped, count] = co_await socket_->async_read_some(asio::buffer(buffer), as_values);
        lost = static_cast<bool>(stopped);
        framer_.push({buffer.data(), count});
    }
    // The handler refers to this frame: let it run, or be cancelled, before the frame ends.
    patience.cancel();
    co_await asio::post(executor_, asio::use_awaitable);
    if (answer) co_return std::move(*answer);
    if (late)
        co_return fail(Errc::timed_out, fmt::format("the guest's shell did not answer within {} ms", within.count()));
    co_return fail(Errc::rig_fault, "the connection to the guest's shell ended with the virtual machine");
}

} // namespace mediarig::lab
