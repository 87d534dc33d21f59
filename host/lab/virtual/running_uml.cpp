// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/virtual/running_uml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "host/base/async/as_values.hpp"

namespace mediarig::lab {
namespace asio = boost::asio;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds between_uml_looks{100};
/// Maximum time from the end of a connection to the exit of the process at its other end.
constexpr milliseconds uml_ends{2000};
constexpr std::string_view instead = "; use the lab's other machine instead (\"lab_machine\": \"qemu\" in a plan)";

/// Returns true if a check of ptrace did not end with "OK". A kernel that boots prints such checks too.
bool fails_ptrace(std::string_view console) {
    while (!console.empty()) {
        const std::size_t end = std::min(console.find('\n'), console.size());
        const std::string_view line = console.substr(0, end);
        console.remove_prefix(std::min(end + 1, console.size()));
        const bool about =
            line.find("ptrace") != std::string_view::npos || line.find("PTRACE") != std::string_view::npos;
        if (about && line.find("...OK") == std::string_view::npos) return true;
    }
    return false;
}

/// Explains the last output of a kernel that did not boot.
std::string explain_uml(std::string_view console) {
    const auto has = [&](std::string_view words) { return console.find(words) != std::string_view::npos; };
    if (fails_ptrace(console)) return "this system forbids ptrace, which user-mode Linux needs: " + last_line(console);
    if (has("noexec"))
        return "the folder for temporary files is mounted noexec: set TMPDIR to a tmpfs without this option";
    if (has("No space left") || has("Cannot allocate memory"))
        return "the folder for temporary files (TMPDIR, else /dev/shm) has too little space for the guest's memory";
    if (has("is on tmpfs...No such file"))
        return "the folder for temporary files (TMPDIR, else /dev/shm) does not exist: set TMPDIR to a tmpfs";
    const std::string said = last_line(console);
    return said.empty() ? "it printed nothing" : said;
}

} // namespace

RunningUml::RunningUml(asio::any_io_executor executor, PrivateDirectory directory, MachineTimeouts patience)
    : executor_(std::move(executor)),
      directory_(std::move(directory)),
      patience_(patience),
      files_{directory_->path()},
      console_(files_.console()),
      look_(executor_) {}

Result<void> RunningUml::make_lines() {
    const auto queued = [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self) return;
        asio::post(self->executor_, [self] {
            if (self->clock_) self->clock_->look_again();
        });
    };
    for (std::size_t port = 0; port < guest_ports; ++port) {
        const bool shell = port == static_cast<std::size_t>(GuestPort::shell);
        auto made = GuestLine::make(
            shell ? OwedAnswers(shell_ids(), {std::string(boot_answer)}) : OwedAnswers(json_ids()), queued);
        if (!made) return fail(std::move(made.error()));
        lines_.at(port) = std::move(*made);
    }
    agent_relay_ = std::make_shared<LineRelay>(executor_, line(GuestPort::agent));
    shell_relay_ = std::make_shared<LineRelay>(executor_, line(GuestPort::shell));
    if (auto listening = agent_relay_->listen(files_.agent()); !listening) return listening;
    return shell_relay_->listen(files_.shell());
}

Result<void> RunningUml::start(const MachineSpec& spec) {
    if (auto made = make_lines(); !made) return made;
    // The lines and the clock may finish an operation after this object is gone.
    const auto weak = weak_from_this();
    clock_ = std::make_shared<TimeKeeper>(executor_, [weak] {
        const auto self = weak.lock();
        return self ? self->turn() : ClockTurn::hold;
    });
    if (auto listening = clock_->listen(files_.time()); !listening) return listening;
    cards_ = std::make_shared<GuestCards>(executor_, line(GuestPort::cards), spec.media, [weak](std::string why) {
        if (const auto self = weak.lock()) self->abandon(std::move(why));
    });
    cards_->listen();
    shell_ = std::make_shared<GuestShell>(executor_, files_.shell());
    std::vector<int> files;
    for (const auto& one : lines_) files.push_back(one->guest_end());
    const UmlSetting setting{.memory = spec.memory, .initrd = spec.image.initrd, .media = spec.media};
    auto process = BoundProcess::start(spec.image.kernel, uml_command_line(setting, files_), files_.console(), files);
    if (!process) return fail(std::move(process.error()));
    process_ = std::move(*process);
    asio::co_spawn(
        executor_, [self = shared_from_this()] { return self->watch(); }, asio::detached);
    return {};
}

ClockTurn RunningUml::turn() {
    if (ending_ || failure_) return ClockTurn::hold;
    bool exchanged = false;
    for (const auto& one : lines_) exchanged |= one->drain();
    // The kernel loses input of a line that no program has opened yet.
    booted_ = booted_ || !line(GuestPort::shell)->owes(std::string(boot_answer));
    if (booted_)
        for (const auto& one : lines_) exchanged |= one->deliver();
    if (exchanged) return ClockTurn::exchanged;
    const bool owes = std::any_of(lines_.begin(), lines_.end(), [](const auto& one) { return one->owes(); });
    return owes ? ClockTurn::run : ClockTurn::hold;
}

asio::awaitable<void> RunningUml::watch() {
    const auto self = shared_from_this();
    std::uint64_t slices = 0;
    auto progress = steady_clock::now();
    while (!ending_ && !failure()) {
        look_.expires_after(between_uml_looks);
        co_await look_.async_wait(as_values);
        if (ending_) co_return;
        if (clock_->failure()) give_up(clock_->failure()->detail);
        if (clock_->is_held() || std::exchange(slices, clock_->slices()) != clock_->slices())
            progress = steady_clock::now();
        if (steady_clock::now() - progress > patience_.silence)
            give_up(fmt::format("the guest made no progress in virtual time for {} s",
                                std::chrono::duration_cast<std::chrono::seconds>(patience_.silence).count()));
    }
}

void RunningUml::give_up(std::string why) {
    const std::string said = console_.last().last_lines();
    if (!failure_)
        failure_ =
            Error{Errc::rig_fault, fmt::format("the lab's machine in virtual time was stopped: {}{}", why,
                                               said.empty() ? std::string() : "; its console ends with: " + said)};
    if (process_) process_->kill();
    if (cards_) cards_->end(*failure_);
    if (agent_relay_) agent_relay_->close();
    if (shell_) shell_->close();
}

void RunningUml::abandon(std::string why) {
    if (!process_ || ending_) return;
    if (!failure_) failure_ = Error{Errc::rig_fault, std::move(why)};
    give_up({});
}

std::optional<Error> RunningUml::failure() {
    if (failure_ || ending_ || !process_) return failure_;
    const auto ended = process_->ended();
    const ConsoleWatch& console = console_.read();
    if (console.fatal()) {
        give_up("the guest's kernel crashed: " + *console.fatal());
    } else if (ended && clock_->slices() == 0) {
        failure_ = Error{Errc::no_driver, fmt::format("user-mode Linux did not start: {}{}",
                                                      explain_uml(tail_of_file(files_.console())), instead)};
        give_up({});
    } else if (ended) {
        give_up("it ended with " + *ended);
    }
    return failure_;
}

std::optional<Error> RunningUml::over() {
    auto why = failure();
    if (!why && ending_) why = Error{Errc::rig_fault, "the lab's machine in virtual time was stopped"};
    return why;
}

asio::awaitable<Error> RunningUml::exit_reason() {
    const auto self = shared_from_this();
    asio::steady_timer timer(executor_);
    const auto until = steady_clock::now() + uml_ends;
    while (!ending_ && !failure() && steady_clock::now() < until) {
        timer.expires_after(milliseconds(10));
        co_await timer.async_wait(as_values);
    }
    if (failure_) co_return *failure_;
    co_return Error{Errc::agent_lost, ending_ ? "the lab's machine in virtual time was stopped"
                                              : "the connection to the guest's agent closed, but its machine runs"};
}

void RunningUml::end() {
    ending_ = true;
    look_.cancel();
    if (cards_) cards_->end({Errc::rig_fault, "the lab's machine in virtual time was stopped"});
    if (agent_relay_) agent_relay_->close();
    if (shell_relay_) shell_relay_->close();
    if (shell_) shell_->close();
    if (clock_) clock_->close();
    for (const auto& one : lines_)
        if (one) one->close();
    process_.reset();
    directory_.reset();
}

} // namespace mediarig::lab
