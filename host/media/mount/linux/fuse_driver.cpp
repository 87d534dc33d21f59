// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/mount/linux/fuse_driver.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "host/media/mount/linux/pipe_holders.hpp"

namespace mediarig::media {

FuseDriver::FuseDriver(Descriptor life) : life_(std::move(life)) {
    struct stat status {};
    if (::fstat(life_.get(), &status) == 0) pipe_ = status.st_ino;
}

FuseDriver::~FuseDriver() {
    if (process_ && ended()) (void)death();
}

void FuseDriver::find() {
    const Descriptor proc(open_proc());
    process_ = Descriptor(open_pipe_holder(proc.get(), pipe_, driver_life_number));
}

bool FuseDriver::ended(std::chrono::milliseconds within) const {
    if (!life_) return true;
    pollfd life{life_.get(), 0, 0};
    return ::poll(&life, 1, static_cast<int>(within.count())) == 1 && (life.revents & POLLHUP) != 0;
}

void FuseDriver::kill() const {
    const Descriptor proc(open_proc());
    if (life_) kill_pipe_holders(proc.get(), pipe_, driver_life_number);
}

std::string FuseDriver::death() {
    if (!process_) return death_;
    // The driver has closed its files but may not have exited yet.
    pollfd process{process_.get(), POLLIN, 0};
    (void)::poll(&process, 1, 1000);
    siginfo_t how{};
    if (::waitid(P_PIDFD, static_cast<id_t>(process_.get()), &how, WEXITED | WNOHANG) == 0 && how.si_pid != 0) {
        if (how.si_code != CLD_EXITED)
            death_ = fmt::format("signal {}", how.si_status);
        else if (how.si_status != 0)
            death_ = fmt::format("exit status {}", how.si_status);
    }
    process_.close();
    return death_;
}

} // namespace mediarig::media
