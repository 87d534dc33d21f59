// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/scenarios/dead_loop.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>

#include "host/base/process/run_process.hpp"

namespace mediarig::claim_scenarios {
namespace {

constexpr const char* driver = "mount.exfat-fuse";

dev_t device_of(const std::string& folder) {
    struct stat status {};
    return ::stat(folder.c_str(), &status) == 0 ? status.st_dev : 0;
}

/// Runs the driver in the foreground, so that its process id is known.
pid_t start_driver(const std::string& path, const std::string& device, const std::string& folder) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int nothing = ::open("/dev/null", O_RDWR);
        for (const int stream : {0, 1, 2}) ::dup2(nothing, stream);
        ::close_range(3, ~0U, 0);
        ::execl(path.c_str(), driver, "-d", device.c_str(), folder.c_str(), nullptr);
        ::_exit(127);
    }
    return child;
}

void make_file(const std::string& path, std::uint64_t size) {
    const Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!file || ::ftruncate(file.get(), static_cast<off_t>(size)) != 0)
        throw std::runtime_error(path + ": " + text_for(errno));
}

} // namespace

DeadLoop::DeadLoop(const std::string& place) : place_(place) {
    const auto program = process::find_program(driver);
    if (!program || !process::find_program("mkfs.exfat")) throw std::runtime_error("SKIPPED: no exfat-fuse");
    const std::string image = place + "/exfat", folder = place + "/served";
    std::filesystem::create_directories(folder);
    make_file(image, 4 * mib);
    const auto made = process::run_process({.program = "mkfs.exfat", .arguments = {image}});
    if (!made || !made->succeeded()) throw std::runtime_error("mkfs.exfat failed");
    if (const int failed = attach(image, {}, disk_); failed != 0)
        throw std::runtime_error("no loop device: " + text_for(failed));
    const dev_t below = device_of(folder);
    const pid_t server = start_driver(*program, loop_node(disk_.number), folder);
    int error = EAGAIN;
    for (const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
         error == EAGAIN && std::chrono::steady_clock::now() < until; ::usleep(2000)) {
        if (device_of(folder) == below) continue;
        make_file(folder + "/a.img", mib);
        error = attach(folder + "/a.img", {}, loop_);
    }
    end_child(server);
    ::umount2(folder.c_str(), MNT_DETACH);
    if (error != 0) throw std::runtime_error("no dead loop device: " + text_for(error));
}

DeadLoop::~DeadLoop() {
    (void)detach(loop_);
    (void)detach(disk_);
    std::error_code ignored;
    std::filesystem::remove_all(place_, ignored);
}

} // namespace mediarig::claim_scenarios
