// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/machine/running_qemu.hpp"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "host/base/async/as_values.hpp"

namespace mediarig::lab {
namespace asio = boost::asio;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds between_process_looks{100};
/// The machine counts as hung after a silence; during this silence it is checked this number of times.
constexpr int looks_per_silence = 6;
/// Maximum time from the end of a connection to the exit of the process at its other end.
constexpr milliseconds process_ends{2000};

} // namespace

RunningQemu::RunningQemu(asio::any_io_executor executor, PrivateDirectory directory, MachineTimeouts patience)
    : executor_(std::move(executor)),
      directory_(std::move(directory)),
      patience_(patience),
      files_{directory_->path()},
      console_(files_.console()),
      process_look_(executor_),
      life_look_(executor_) {}

asio::awaitable<Result<void>> RunningQemu::start(std::string qemu, std::vector<std::string> arguments) {
    const auto self = shared_from_this();
    auto process = BoundProcess::start(qemu, arguments, files_.qemu_log());
    if (!process) co_return fail(std::move(process.error()));
    process_ = std::move(*process);
    auto socket = co_await connect_to(files_.qmp(), patience_.command, [this] { return over(); });
    if (!socket) co_return fail(std::move(socket.error()));
    auto qmp = co_await QmpClient::open(std::move(*socket), patience_.command);
    if (auto why = over()) co_return fail(std::move(*why));
    if (!qmp) {
        const auto why = co_await exit_reason();
        co_return fail(failure_ ? why : qmp.error());
    }
    qmp_ = std::move(*qmp);
    shell_ = std::make_shared<GuestShell>(executor_, files_.diagnosis());
    asio::co_spawn(
        executor_, [self] { return self->watch_process(); }, asio::detached);
    co_return Result<void>{};
}

void RunningQemu::expect_life() {
    asio::co_spawn(
        executor_, [self = shared_from_this()] { return self->watch_life(); }, asio::detached);
}

asio::awaitable<void> RunningQemu::pause(asio::steady_timer& timer, milliseconds length) {
    if (ending_) co_return;
    timer.expires_after(length);
    co_await timer.async_wait(as_values);
}

void RunningQemu::give_up(std::string why) {
    const std::string said = console_.last().last_lines();
    if (!failure_)
        failure_ =
            Error{Errc::rig_fault, fmt::format("the lab's virtual machine was stopped: {}{}", why,
                                               said.empty() ? std::string() : "; its console ends with: " + said)};
    process_->kill();
}

void RunningQemu::abandon(std::string why) {
    if (!process_) return;
    if (!failure_ && !ending_) failure_ = Error{Errc::rig_fault, std::move(why)};
    process_->kill();
}

std::optional<Error> RunningQemu::failure() {
    if (failure_ || ending_ || !process_) return failure_;
    const auto ended = process_->ended();
    if (const auto& fatal = console_.read().fatal())
        give_up("the guest's kernel crashed: " + *fatal);
    else if (ended && !qmp_)
        failure_ = Error{Errc::rig_fault,
                         fmt::format("QEMU did not start: {}", explain_qemu(tail_of_file(files_.qemu_log())))};
    else if (ended)
        give_up(fmt::format("QEMU ended with {}: {}", *ended, explain_qemu(tail_of_file(files_.qemu_log()))));
    return failure_;
}

std::optional<Error> RunningQemu::over() {
    auto why = failure();
    if (!why && ending_) why = Error{Errc::rig_fault, "the lab's virtual machine was stopped"};
    return why;
}

asio::awaitable<Error> RunningQemu::exit_reason() {
    const auto self = shared_from_this();
    asio::steady_timer timer(executor_);
    const auto until = steady_clock::now() + process_ends;
    while (!ending_ && !failure() && steady_clock::now() < until) co_await pause(timer, milliseconds(10));
    if (failure_) co_return *failure_;
    if (ending_) co_return Error{Errc::agent_lost, "the lab's virtual machine was stopped"};
    co_return Error{Errc::agent_lost,
                    "the connection to the guest's agent closed, but the virtual machine is still running"};
}

asio::awaitable<void> RunningQemu::watch_process() {
    const auto self = shared_from_this();
    while (!ending_ && !failure()) co_await pause(process_look_, between_process_looks);
    life_look_.cancel();
}

asio::awaitable<Signs> RunningQemu::look_for_signs() {
    const auto self = shared_from_this();
    Signs signs;
    QmpCommand ask_status{"query-status"};
    const auto status = co_await qmp_->execute(std::move(ask_status), patience_.command);
    // QEMU itself does not answer this command: the guest's state is unknown and the machine counts as hung.
    signs.status = status ? status->value("status", "unknown") : "silent";
    QmpCommand ask_blocks{"query-blockstats"};
    const auto blocks = co_await qmp_->execute(std::move(ask_blocks), patience_.command);
    if (blocks) signs.block_activity = block_activity(*blocks);
    if (ending_ || shell_->busy()) {
        signs.guest_answers = true;
    } else {
        std::string nothing = ":";
        const auto answer = co_await shell_->run(std::move(nothing), patience_.silence / looks_per_silence);
        signs.guest_answers = answer.has_value();
    }
    co_return signs;
}

asio::awaitable<void> RunningQemu::watch_life() {
    const auto self = shared_from_this();
    Watchdog watchdog(steady_clock::now(), patience_.silence);
    while (!ending_ && !failure_) {
        co_await pause(life_look_, patience_.silence / looks_per_silence);
        if (ending_ || failure_) co_return;
        const Signs signs = co_await look_for_signs();
        if (ending_ || failure_) co_return;
        if (auto why = watchdog.look(signs, steady_clock::now())) {
            give_up(std::move(*why));
            co_return;
        }
    }
}

asio::awaitable<Result<void>> RunningQemu::stop() {
    const auto self = shared_from_this();
    if (std::exchange(ending_, true)) co_return Result<void>{};
    process_look_.cancel();
    life_look_.cancel();
    if (process_ && qmp_ && !process_->ended()) {
        QmpCommand quit{"quit"};
        const auto asked = co_await qmp_->execute(std::move(quit), patience_.quit);
        asio::steady_timer timer(executor_);
        const auto until = steady_clock::now() + (asked ? patience_.quit : milliseconds(0));
        while (!process_->ended() && steady_clock::now() < until) {
            timer.expires_after(milliseconds(10));
            co_await timer.async_wait(as_values);
        }
    }
    end();
    co_return Result<void>{};
}

void RunningQemu::end() {
    ending_ = true;
    process_look_.cancel();
    life_look_.cancel();
    if (shell_) shell_->close();
    if (qmp_) qmp_->close();
    process_.reset();
    directory_.reset();
}

} // namespace mediarig::lab
