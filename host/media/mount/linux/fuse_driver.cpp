// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/mount/linux/fuse_driver.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "host/media/mount/linux/pipe_holders.hpp"
#include "host/media/mount/linux/run_folder.hpp"
#include "host/media/mount/linux/unmount_volume.hpp"

namespace mediarig::media {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

/// Ends the driver and removes its mount.
void end_driver(FuseDriver& driver, const std::string& mount_point) {
    static const std::atomic<bool> at_once{true};
    driver.find();
    (void)unmount_volume(mount_point, driver, &at_once);
    (void)driver.death();
}

} // namespace

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

bool FuseDriver::ended(milliseconds within) const {
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

Result<FuseDriver> mount_with_fuse(const Tool& program, const std::vector<std::string>& options, int device,
                                   const RunFolder& folder, const ToolSetting& setting, const LetGo& let_go) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return fail(Errc::io_failed, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    FuseDriver driver{Descriptor(ends[0])};
    // Only the driver inherits this end. It closes when the driver ends, whether or not it has forked.
    Descriptor drivers_end(ends[1]);
    const std::string mount_point = folder.mount_point();
    const auto prepared = FuseMount::prepare(device, mount_point, let_go);
    if (!prepared) return fail(prepared.error());
    FuseMount& mount = **prepared;
    folder.has_driver(driver.pipe(), device);
    // Only the parent of a process receives its exit status. The driver's parent ends when the driver forks into the
    // background.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);

    process::Command command{.program = program.program,
                             .arguments = options,
                             .inherit = {{.ours = device, .childs = driver_device_number},
                                         {.ours = drivers_end.get(), .childs = driver_life_number}},
                             .time_limit = 60s,
                             .search_path = setting.search_path,
                             .cancel = setting.cancel,
                             .sandbox = process::Sandbox{},
                             .answer_mounts = [&](Descriptor listener) { mount.answer(std::move(listener)); }};
    command.arguments.insert(command.arguments.end(),
                             {fmt::format("/proc/self/fd/{}", driver_device_number), mount_point});
    const auto started = process::run_process(command);
    drivers_end.close();
    mount.stop();
    if (started && started->succeeded() && mount.is_mounted()) {
        driver.find();
        return driver;
    }
    end_driver(driver, mount_point);
    if (!started) return fail(started.error());
    if (mount.failure()) return fail(*mount.failure());
    if (started->succeeded())
        return fail(Errc::io_failed, fmt::format("{} reported success and mounted nothing", program.program));
    // A killed or crashed driver is no evidence against the volume.
    return fail(started->signal ? Errc::host_fault : Errc::io_failed,
                fmt::format("{} could not mount with {}", program.program, failure_of(*started)));
}

} // namespace mediarig::media
