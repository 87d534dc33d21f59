// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/scenarios/zram_device.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "tests/media/claim/scenarios/kernel.hpp"
#include "tests/scratch.hpp"

namespace mediarig::claim_scenarios {
namespace {

constexpr const char* control = "/sys/class/zram-control/";

bool write_text(const std::string& path, const std::string& text) {
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool remove_device(int number) {
    return write_text(std::string(control) + "hot_remove", std::to_string(number));
}

/// Starts a process with its own session, which outlives the scenario and ends with the device.
void leave_guardian(int number, const std::string& node, Descriptor& alive) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    const pid_t between = ::fork();
    if (between == 0) {
        if (::fork() != 0) ::_exit(0);
        ::setsid();
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
        ::dup2(ends[0], 0);
        ::close_range(1, ~0U, 0);
        char nothing = 0;
        while (::read(0, &nothing, 1) > 0) {
        }
        // The programs of the scenario may need some time to end.
        for (int tries = 0; tries < 500; ++tries) {
            (void)::swapoff(node.c_str());
            if (remove_device(number) || ::access(node.c_str(), F_OK) != 0) break;
            ::usleep(10'000);
        }
        ::_exit(0);
    }
    ::waitpid(between, nullptr, 0);
    ::close(ends[0]);
    alive = Descriptor(ends[1]);
}

} // namespace

std::string ZramDevice::missing() {
    return ::access((std::string(control) + "hot_add").c_str(), R_OK) == 0 ? "" : "this kernel has no zram";
}

ZramDevice::ZramDevice(std::uint64_t size) {
    const std::string added = tests::text_of(std::string(control) + "hot_add"); // reading this file adds a device
    if (added.empty()) throw std::runtime_error("no zram device can be added");
    number_ = std::stoi(added);
    node_ = "/dev/zram" + std::to_string(number_);
    leave_guardian(number_, node_, alive_);
    if (!write_text("/sys/block/zram" + std::to_string(number_) + "/disksize", std::to_string(size)))
        throw std::runtime_error(node_ + " takes no size");
}

ZramDevice::~ZramDevice() {
    // The guardian removes the device when it is unused; the next cell adds another.
    alive_.close();
}

} // namespace mediarig::claim_scenarios
