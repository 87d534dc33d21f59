// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/mount/linux/fuse_mount.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

#include "host/base/process/run_process.hpp"
#include "host/media/mount/linux/pipe_holders.hpp"
#include "host/media/mount/linux/unmount_volume.hpp"

namespace mediarig::media {
namespace {

/// The value of "name=NUMBER" in a list separated by commas.
std::optional<int> number_in(std::string_view options, std::string_view name) {
    while (!options.empty()) {
        const auto comma = std::min(options.find(','), options.size());
        std::string_view option = options.substr(0, comma);
        options.remove_prefix(std::min(comma + 1, options.size()));
        if (!option.starts_with(name) || option.substr(name.size(), 1) != "=") continue;
        option.remove_prefix(name.size() + 1);
        int value = 0;
        const auto [end, failed] = std::from_chars(option.data(), option.data() + option.size(), value);
        if (failed == std::errc() && end == option.data() + option.size() && value >= 0) return value;
    }
    return std::nullopt;
}

} // namespace

Result<std::unique_ptr<FuseMount>> FuseMount::prepare(int device, std::string mount_point,
                                                      const ReleaseDevice& release) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return fail(Errc::io_failed, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    std::unique_ptr<FuseMount> mount(
        new FuseMount(device, std::move(mount_point), release, Descriptor(ends[0]), Descriptor(ends[1])));
    mount->thread_ = std::thread([mount = mount.get()] { mount->work(); });
    return mount;
}

void FuseMount::answer(Descriptor listener) {
    const int number = listener.release();
    (void)!::write(orders_writer_.get(), &number, sizeof number);
}

void FuseMount::stop() {
    orders_writer_.close();
    if (thread_.joinable()) thread_.join();
}

void FuseMount::work() {
    int number = -1;
    while (::read(orders_.get(), &number, sizeof number) < 0 && errno == EINTR) {
    }
    const Descriptor listener(number);
    std::array<pollfd, 2> polled{pollfd{listener.get(), POLLIN, 0}, pollfd{orders_.get(), 0, 0}};
    while (listener && !mounted_) {
        if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) return;
        if ((polled[0].revents & POLLIN) != 0) {
            if (const auto request = process::receive_mount(listener.get())) execute_mount(listener.get(), *request);
        } else if (polled[0].revents != 0 || polled[1].revents != 0) {
            return;
        }
    }
}

void FuseMount::execute_mount(int listener, const process::MountRequest& request) {
    Descriptor connection(::open("/dev/fuse", O_RDWR | O_CLOEXEC));
    const auto drivers_number = number_in(request.options, "fd");
    if (!connection || !drivers_number) {
        failure_ = Error{Errc::io_failed, connection ? "the driver requested a mount without a FUSE connection"
                                                     : fmt::format("cannot open /dev/fuse: {}", std::strerror(errno))};
        (void)process::answer_mount(listener, request, EINVAL);
        return;
    }
    if (!device_free_) {
        if (auto free = release_(); !free) {
            failure_ = free.error();
            (void)process::answer_mount(listener, request, EBUSY);
            return;
        }
        device_free_ = true;
    }
    if (const int error = mount_with(connection.get(), request); error != 0) {
        (void)process::answer_mount(listener, request, error);
        return;
    }
    const bool has_connection = process::replace_descriptor(listener, request, connection.get(), *drivers_number);
    // No copy of the connection may remain when the driver begins to answer, not even in a child process that is about
    // to start a program.
    connection.close();
    process::wait_for_starts();
    mounted_ = has_connection && process::answer_mount(listener, request, 0);
    if (!mounted_) ::umount2(mount_point_.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
}

int FuseMount::mount_with(int connection, const process::MountRequest& request) {
    // The options that libfuse passes for a driver of root that serves a block device. Other options of the driver are
    // ignored.
    std::string options = fmt::format("fd={},rootmode={:o},user_id={},group_id={},default_permissions,allow_other",
                                      connection, S_IFDIR, ::getuid(), ::getgid());
    if (const auto block = number_in(request.options, "blksize")) options += fmt::format(",blksize={}", *block);
    const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NOATIME | (request.flags & MS_RDONLY);
    const std::string source = fmt::format("/proc/self/fd/{}", device_);
    if (::mount(source.c_str(), mount_point_.c_str(), "fuseblk", flags, options.c_str()) == 0) return 0;
    const int error = errno;
    failure_ = Error{error == EPERM ? Errc::no_permission : Errc::io_failed,
                     fmt::format("cannot mount the device for the driver: {}", std::strerror(error))};
    return error;
}

namespace {

/// Ends the driver and removes its mount.
void end_driver(FuseDriver& driver, const std::string& mount_point) {
    static const std::atomic<bool> at_once{true};
    driver.find();
    (void)unmount_volume(mount_point, driver, &at_once);
    (void)driver.death();
}

} // namespace

Result<FuseDriver> mount_with_fuse(const Tool& program, const std::vector<std::string>& options, int device,
                                   const RunFolder& folder, const ToolSetting& setting, const ReleaseDevice& release) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return fail(Errc::io_failed, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    FuseDriver driver{Descriptor(ends[0])};
    // Only the driver inherits the write end. It closes when the driver ends, whether or not the driver has forked.
    Descriptor drivers_end(ends[1]);
    const std::string mount_point = folder.mount_point();
    const auto prepared = FuseMount::prepare(device, mount_point, release);
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
                             .time_limit = std::chrono::seconds(60),
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
