// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/scenarios/subject.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <stdexcept>

#include "host/agent/linux/linux_backend.hpp"
#include "host/agent/server/serve.hpp"
#include "host/base/process/mount_namespace.hpp"
#include "host/media/claim/linux/linux_media.hpp"

namespace mediarig::claim_scenarios {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

/// Reports the begin and end of a call, and waits for permission to continue.
class HaltingDiscovery final : public media::Discovery {
public:
    explicit HaltingDiscovery(int hooks) : hooks_(hooks) {}
    Result<std::vector<media::Medium>> list() override;
    Result<media::Medium> identify(const std::string& target, const media::OwnDevices& own) override;

private:
    template <class Call>
    auto halting(Call call) {
        halt('b');
        auto result = call();
        halt('a');
        return result;
    }
    void halt(char when) const {
        char answer = 0;
        if (::write(hooks_, &when, 1) != 1 || ::read(hooks_, &answer, 1) != 1) ::_exit(3);
    }
    int hooks_;
    std::unique_ptr<media::Discovery> real_{media::make_linux_discovery()};
};

Result<std::vector<media::Medium>> HaltingDiscovery::list() {
    return halting([&] { return real_->list(); });
}

Result<media::Medium> HaltingDiscovery::identify(const std::string& target, const media::OwnDevices& own) {
    return halting([&] { return real_->identify(target, own); });
}

[[noreturn]] void serve_in_child(int line, int hooks) {
    spdlog::set_level(spdlog::level::off);
    // Descriptors of the scenario must not be held open here.
    ::dup2(line, 100);
    ::dup2(hooks, 101);
    ::close_range(3, 99, 0);
    ::close_range(102, ~0U, 0);
    const bool may_mount = process::enter_private_mount_namespace().has_value();
    const agent::MakeBackend make = [&](const std::atomic<bool>& stop_work) {
        return agent::make_linux_backend(std::make_unique<HaltingDiscovery>(101),
                                         {.stop_work = stop_work, .may_mount = may_mount});
    };
    const auto served = agent::serve({100, 100}, make, nullptr, {});
    ::_exit(served ? 0 : 1);
}

std::array<Descriptor, 2> socket_pair() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("no socket pair");
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

int microseconds_until(Clock::time_point when) {
    const auto left = std::chrono::duration_cast<std::chrono::microseconds>(when - Clock::now()).count();
    return left < 0 ? 0 : static_cast<int>(left);
}

} // namespace

Subject::Subject(const std::string& program) {
    auto line = socket_pair();
    auto hooks = socket_pair();
    process_ = ::fork();
    if (process_ < 0) throw std::runtime_error("no child process");
    if (process_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (program.empty()) serve_in_child(line[1].get(), hooks[1].get());
        ::dup2(line[1].get(), 0);
        ::dup2(line[1].get(), 1);
        ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
        ::execl(program.c_str(), program.c_str(), "--log-level", "off", nullptr);
        ::_exit(127);
    }
    line_ = std::move(line[0]);
    if (program.empty()) hooks_ = std::move(hooks[0]);
    line[1].close();
    hooks[1].close();
    const auto hello = ask("hello", {{"protocol", 1}, {"controller", "scenarios"}});
    if (!error_class_of(hello).empty())
        throw std::runtime_error("the subject does not say hello: " + outcome_of(hello));
}

Subject::~Subject() {
    if (process_ > 0) (void)finish();
}

std::optional<json> Subject::next_answer(int id) {
    std::size_t end = 0;
    while ((end = heard_.find('\n')) != std::string::npos) {
        const std::string text = heard_.substr(0, end);
        heard_.erase(0, end + 1);
        auto message = json::parse(text, nullptr, false);
        if (message.is_discarded() || !message.contains("id") || message["id"] != id) continue;
        return message;
    }
    return std::nullopt;
}

std::optional<json> Subject::ask(const std::string& method, const json& params,
                                 const std::function<void(const Halt&)>& at_halt, int delay_us,
                                 const std::function<void()>& in_the_middle) {
    const int id = next_id_++;
    const std::string request =
        json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}.dump() + "\n";
    if (::send(line_.get(), request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size()))
        return std::nullopt;
    calls_ = 0;
    bool middle_is_due = delay_us >= 0 && in_the_middle;
    const auto middle = Clock::now() + std::chrono::microseconds(delay_us);
    const auto deadline = Clock::now() + std::chrono::seconds(60);
    while (true) {
        if (auto answer = next_answer(id)) return answer;
        std::array<pollfd, 2> ready{pollfd{line_.get(), POLLIN, 0}, pollfd{hooks_ ? hooks_.get() : -1, POLLIN, 0}};
        const int wait = microseconds_until(middle_is_due ? middle : deadline);
        const timespec time{wait / 1'000'000, (wait % 1'000'000) * 1000L};
        const int events = ::ppoll(ready.data(), ready.size(), &time, nullptr);
        if (events == 0 && middle_is_due) {
            middle_is_due = false;
            in_the_middle();
            continue;
        }
        if (events <= 0) return std::nullopt;
        if ((ready[1].revents & POLLIN) != 0) {
            char when = 0;
            if (::read(hooks_.get(), &when, 1) != 1) return std::nullopt;
            if (at_halt) at_halt({calls_, when == 'a'});
            if (when == 'a') ++calls_;
            if (::write(hooks_.get(), "g", 1) != 1) return std::nullopt;
            continue;
        }
        if (ready[0].revents == 0) continue;
        std::array<char, 65536> buffer{};
        const ssize_t got = ::read(line_.get(), buffer.data(), buffer.size());
        if (got <= 0) return std::nullopt;
        heard_.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

std::string Subject::finish() {
    line_.close();
    const auto until = Clock::now() + std::chrono::seconds(30);
    int status = 0;
    while (::waitpid(process_, &status, WNOHANG) == 0) {
        pollfd halted{hooks_ ? hooks_.get() : -1, POLLIN, 0};
        if (::poll(&halted, 1, 1) == 1) {
            char when = 0;
            if (::read(hooks_.get(), &when, 1) != 1 || ::write(hooks_.get(), "g", 1) != 1) hooks_.close();
        }
        if (Clock::now() < until) continue;
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
        process_ = -1;
        return "did not end within 30 s";
    }
    process_ = -1;
    if (WIFSIGNALED(status)) return "ended by signal " + std::to_string(WTERMSIG(status));
    return {};
}

std::string error_class_of(const std::optional<json>& answer) {
    if (!answer) return "no_answer";
    if (!answer->contains("error")) return {};
    const json& error = (*answer)["error"];
    if (!error.contains("data")) return "bad_request";
    return error["data"].value("errc", "unknown");
}

std::string outcome_of(const std::optional<json>& answer) {
    const std::string kind = error_class_of(answer);
    if (kind.empty()) return "ok";
    return answer ? kind + ": " + (*answer)["error"].value("message", "") : kind;
}

} // namespace mediarig::claim_scenarios
