// SPDX-License-Identifier: GPL-3.0-or-later
/// Like a virtio port, this port stays open when its controller disconnects. While no controller is connected, its
/// input reads as ended, and it keeps unread output. The agent serves one controller after another on this port.
#pragma once

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <future>
#include <stdexcept>
#include <string>
#include <string_view>

#include "host/agent/server/serve.hpp"
#include "tests/fakes/fake_media_backend.hpp"

namespace mediarig::agent {

class Port {
public:
    Port() {
        std::signal(SIGPIPE, SIG_IGN);
        options.handle_signals = false;
        backend.media["/dev/sdx"] = fake_medium("/dev/sdx");
    }
    Port(const Port&) = delete;
    Port& operator=(const Port&) = delete;
    ~Port() {
        backend.release();
        end();
        std::string folder = fifo_.substr(0, fifo_.rfind('/'));
        ::unlink(fifo_.c_str());
        ::rmdir(folder.c_str());
    }

    FakeMediaBackend backend;
    ServeOptions options;

    /// Starts the agent without a controller.
    void start() {
        std::string folder = "/tmp/mediarig-port-XXXXXX";
        if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("mkdtemp");
        fifo_ = folder + "/in";
        if (::mkfifo(fifo_.c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
        const int input = ::open(fifo_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        std::array<int, 2> ends{};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
            throw std::runtime_error("socketpair");
        output_ = ends[0];
        served_ = std::async(std::launch::async, [this, line = LineEnds{input, ends[1]}] {
            return serve_one_after_another(line, maker_of(backend), nullptr, options);
        });
    }
    /// The controller's end for writing, until the controller closes it.
    [[nodiscard]] int connect() const { return ::open(fifo_.c_str(), O_WRONLY | O_CLOEXEC); }
    /// Output of the agent, including the output sent without a controller.
    [[nodiscard]] int output() const { return output_; }
    [[nodiscard]] bool serves() const { return served_.wait_for(std::chrono::seconds(0)) != std::future_status::ready; }
    /// Breaks the connection of the port, which ends the agent.
    Result<void> end() {
        if (!served_.valid()) return {};
        ::shutdown(output_, SHUT_RDWR);
        const int writer = connect();
        constexpr std::string_view noise = "\nnoise\n";
        (void)!::write(writer, noise.data(), noise.size());
        auto result = served_.get();
        ::close(writer);
        ::close(output_);
        return result;
    }

private:
    std::string fifo_;
    int output_{-1};
    std::future<Result<void>> served_;
};

} // namespace mediarig::agent
