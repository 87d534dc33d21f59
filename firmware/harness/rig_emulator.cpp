// SPDX-License-Identifier: GPL-3.0-or-later
/// Presents the emulated board to the host as two serial ports: opens the ptys, which Node cannot, starts the emulator,
/// and transfers bytes between them. Sentences on stdin and their answers on stdout are those of the emulator.
///
/// Ends with the emulator, on SIGTERM or SIGINT, and when its parent dies; the emulator ends with it.
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "firmware/board/posix/event_json.hpp"
#include "firmware/harness/carrier.hpp"

namespace {

namespace board = mediarig::board;
using mediarig::harness::EmulatedSerialPort;

constexpr int look_around_ms = 10; // period of the checks for opened ports and a live parent
constexpr int failed = 3;
/// Descriptors of the emulator; on the last one it reports that the device appears on the bus ('A') or disappears
/// ('D').
constexpr int usb_descriptor = 3, uart_descriptor = 4, bus_descriptor = 5;

volatile std::sig_atomic_t asked_to_end = 0;

int complain(const std::string& what) {
    std::cerr << "rig_emulator: " << what << '\n';
    return failed;
}

struct EmulatorOptions {
    std::string usb_link, uart_link, node{"node"}, script{MEDIARIG_HARNESS "/rig.mjs"}, plant;
    std::vector<std::string> passed_on;
};

EmulatorOptions read_arguments(std::span<char*> arguments) {
    EmulatorOptions options;
    std::error_code ignored;
    options.plant = (std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "plant.node").string();
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const std::string word = arguments[i];
        const auto value = [&] { return ++i < arguments.size() ? std::string(arguments[i]) : std::string(); };
        if (word == "--link")
            options.usb_link = value();
        else if (word == "--uart-link")
            options.uart_link = value();
        else if (word == "--node")
            options.node = value();
        else if (word == "--plant")
            options.plant = value();
        else
            options.passed_on.push_back(word);
    }
    return options;
}

[[noreturn]] void become_emulator(const EmulatorOptions& options, int usb, int uart, int bus) {
    std::vector<std::string> words{options.node, options.script, "--plant", options.plant};
    words.insert(words.end(), options.passed_on.begin(), options.passed_on.end());
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    // A descriptor may have the number of another descriptor's target: move all of them away first, then into place.
    std::array<int, 3> moved{};
    for (std::size_t i = 0; i < moved.size(); ++i)
        moved[i] = ::fcntl(std::array{usb, uart, bus}[i], F_DUPFD_CLOEXEC, 10);
    ::dup2(moved[0], usb_descriptor);
    ::dup2(moved[1], uart_descriptor);
    ::dup2(moved[2], bus_descriptor);
    ::execvp(pointers[0], pointers.data());
    complain("cannot start " + options.node + " (" + std::strerror(errno) + "): install nodejs");
    ::_exit(failed);
}

/// The emulator with its ports, while it runs.
class Session {
public:
    explicit Session(const EmulatorOptions& options) : usb_(options.usb_link), uart_(options.uart_link) {}

    int run(const EmulatorOptions& options) {
        if (const auto there = uart_.attach(); !there) return complain(there.error());
        std::array<int, 2> bus{};
        if (::pipe2(bus.data(), O_CLOEXEC) != 0) return complain("no pipe is available");
        const pid_t self = ::getpid();
        child_ = ::fork();
        if (child_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (::getppid() != self) ::_exit(failed);
            become_emulator(options, usb_.theirs(), uart_.theirs(), bus[1]);
        }
        ::close(bus[1]);
        usb_.started();
        uart_.started();
        bus_ = bus[0];
        ::fcntl(bus_, F_SETFL, O_NONBLOCK);
        const int status = child_ < 0 ? complain("cannot start another process") : serve();
        ::close(bus_);
        return status;
    }

private:
    int serve() {
        const pid_t parent = ::getppid();
        bool alive = true;
        while (alive && asked_to_end == 0 && ::getppid() == parent) {
            std::array watched{usb_.line_poll(), usb_.emulator_poll(), uart_.line_poll(), uart_.emulator_poll(),
                               pollfd{.fd = bus_, .events = POLLIN, .revents = 0}};
            ::poll(watched.data(), watched.size(), look_around_ms);
            alive = mind_the_bus() && usb_.carry() && uart_.carry();
        }
        const bool ended_here = alive || asked_to_end != 0;
        if (ended_here || broken_) ::kill(child_, SIGTERM);
        int status = 0;
        while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
        }
        return broken_ ? failed : ended_here ? 0 : WIFEXITED(status) ? WEXITSTATUS(status) : failed;
    }

    /// Returns false if the emulator has ended or if no pty is available.
    bool mind_the_bus() {
        char news{};
        const ssize_t got = ::read(bus_, &news, 1);
        if (got < 0) return errno == EAGAIN || errno == EINTR;
        if (got == 0) return false;
        if (news == 'D') {
            usb_.detach();
            return true;
        }
        if (usb_.attached()) return true;
        if (const auto there = usb_.attach(); !there) {
            broken_ = true;
            complain(there.error());
            return false;
        }
        if (told_)
            tell(R"({"line":)" + board::json_string(usb_.path()) + '}');
        else
            tell(R"({"ready":true,"pty":)" + board::json_string(usb_.path()) + R"(,"link":)" +
                 board::json_string(usb_.link()) + R"(,"uart":)" + board::json_string(uart_.link()) + R"(,"pid":)" +
                 std::to_string(::getpid()) + '}');
        told_ = true;
        return true;
    }

    /// One write per line: the emulator writes to the same descriptor.
    static void tell(const std::string& line) {
        const std::string text = line + '\n';
        static_cast<void>(::write(STDOUT_FILENO, text.data(), text.size()) >= 0);
    }

    EmulatedSerialPort usb_, uart_;
    pid_t child_{-1};
    int bus_{-1};
    bool told_{}, broken_{};
};

} // namespace

int main(int argc, char** argv) {
    struct sigaction action {};
    action.sa_handler = [](int) { asked_to_end = 1; };
    ::sigaction(SIGTERM, &action, nullptr);
    ::sigaction(SIGINT, &action, nullptr);
    action.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &action, nullptr);
    const EmulatorOptions options = read_arguments({argv, static_cast<std::size_t>(argc)});
    return Session(options).run(options);
}
