// SPDX-License-Identifier: GPL-3.0-or-later
/// mediarig-lab-cards: the card models inside a guest in virtual time. Serves requests on a serial line.
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <mutex>
#include <string>

#include "host/base/async/line_framer.hpp"
#include "host/base/descriptor.hpp"
#include "host/lab/guest/model_host.hpp"

namespace {

using namespace mediarig;

Descriptor open_line(const char* path) {
    Descriptor line(::open(path, O_RDWR | O_NOCTTY | O_CLOEXEC));
    termios settings{};
    if (!line || ::tcgetattr(line.get(), &settings) != 0) return Descriptor();
    ::cfmakeraw(&settings);
    if (::tcsetattr(line.get(), TCSANOW, &settings) != 0) return Descriptor();
    return line;
}

void send(int line, std::string text) {
    static std::mutex alone;
    const std::scoped_lock lock(alone);
    text += '\n';
    for (std::size_t sent = 0; sent < text.size();) {
        const ssize_t count = ::write(line, text.data() + sent, text.size() - sent);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        sent += static_cast<std::size_t>(count);
    }
}

int serve(const char* device, const char* media, const char* identities) {
    const Descriptor line = open_line(device);
    if (!line) {
        std::cerr << "mediarig-lab-cards: cannot open " << device << ": " << std::strerror(errno) << '\n';
        return 3;
    }
    lab::ModelHost host({.media = media, .identities = identities},
                        [&](std::string text) { send(line.get(), std::move(text)); });
    agent::LineFramer framer;
    std::array<char, 4096> buffer{};
    while (true) {
        const ssize_t count = ::read(line.get(), buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return 0;
        framer.push({buffer.data(), static_cast<std::size_t>(count)});
        while (const auto frame = framer.next()) host.execute(frame->text);
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::cerr << "usage: mediarig-lab-cards LINE MEDIA IDENTITIES\n"
                     "Serves the card models of mediarig's lab in virtual time; runs in its guest only.\n";
        return 2;
    }
    // The kernel may delay the end of a sleep by this time; the threads inherit it.
    ::prctl(PR_SET_TIMERSLACK, 1UL);
    // Otherwise the threads would preempt the agent, which then reports a busy host. They inherit this too.
    constexpr sched_param no_priority{};
    ::sched_setscheduler(0, SCHED_BATCH, &no_priority);
    return serve(argv[1], argv[2], argv[3]);
}
