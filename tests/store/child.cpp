// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/child.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>

namespace mediarig::store {

Child::Child(const std::function<int(const Acknowledge&)>& work) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("no process");
    if (pid_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL); // no orphan outlives an interrupted test
        ::close(ends[0]);
        const int status = work([&] {
            const char byte = 1;
            if (::write(ends[1], &byte, 1) != 1) ::_exit(99);
        });
        ::_exit(status);
    }
    ::close(ends[1]);
    pipe_ = ends[0];
}

Child::~Child() {
    kill();
    ::close(pipe_);
}

std::size_t Child::wait_for(std::size_t count) {
    while (acknowledged_ < count) {
        char byte = 0;
        const ssize_t got = ::read(pipe_, &byte, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        ++acknowledged_;
    }
    return acknowledged_;
}

bool Child::kill() {
    if (pid_ < 0) return false;
    ::kill(pid_, SIGKILL);
    return join() == -1;
}

int Child::join() {
    if (pid_ < 0) return 0;
    drain();
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void Child::drain() {
    wait_for(~std::size_t{0});
}

} // namespace mediarig::store
