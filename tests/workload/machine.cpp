// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/workload/machine.hpp"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "host/base/process/mount_namespace.hpp"
#include "host/workload/io/linux/linux_system.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::tests {
namespace {

namespace fs = std::filesystem;

void need(bool condition, const std::string& what) {
    if (!condition) throw std::runtime_error(what + ": errno " + std::to_string(errno));
}

} // namespace

void make_file(const std::string& path, Bytes size) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    need(fd >= 0, path);
    const std::vector<char> zeros(1 << 20);
    for (std::uint64_t at = 0; at < size.count; at += zeros.size()) {
        const std::size_t part = std::min<std::uint64_t>(zeros.size(), size.count - at);
        need(::write(fd, zeros.data(), part) == static_cast<ssize_t>(part), "write " + path);
    }
    ::close(fd);
}

std::vector<std::byte> read_part(const std::string& path, std::uint64_t offset, std::size_t length) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    need(fd >= 0, path);
    std::vector<std::byte> bytes(length);
    need(::pread(fd, bytes.data(), length, static_cast<off_t>(offset)) == static_cast<ssize_t>(length), "read " + path);
    ::close(fd);
    return bytes;
}

void write_part(const std::string& path, std::uint64_t offset, std::span<const std::byte> bytes) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    need(fd >= 0, path);
    need(::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes.size()),
         "write " + path);
    ::close(fd);
}

std::optional<Loop> Loop::over(const std::string& file) {
    return attach(file, LO_FLAGS_AUTOCLEAR);
}
std::optional<Loop> Loop::directly_over(const std::string& file) {
    return attach(file, LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO);
}

std::optional<Loop> Loop::attach(const std::string& file, unsigned flags) {
    const int control = ::open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    if (control < 0) return std::nullopt;
    const int backing = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
    need(backing >= 0, file);
    std::optional<Loop> loop;
    // Another program may take the free device first.
    for (int attempt = 0; attempt < 20 && !loop; ++attempt) {
        const int index = ::ioctl(control, LOOP_CTL_GET_FREE);
        if (index < 0) break;
        const std::string node = "/dev/loop" + std::to_string(index);
        const int fd = ::open(node.c_str(), O_RDWR | O_CLOEXEC);
        if (fd < 0) break;
        loop_config config{};
        config.fd = static_cast<std::uint32_t>(backing);
        config.block_size = 512;
        config.info.lo_flags = flags;
        if (::ioctl(fd, LOOP_CONFIGURE, &config) == 0)
            loop.emplace(Loop(node, fd));
        else
            ::close(fd);
    }
    ::close(backing);
    ::close(control);
    return loop;
}

Loop::Loop(Loop&& other) noexcept : node_(std::move(other.node_)), fd_(std::exchange(other.fd_, -1)) {}
Loop& Loop::operator=(Loop&& other) noexcept {
    std::swap(node_, other.node_);
    std::swap(fd_, other.fd_);
    return *this;
}
Loop::~Loop() {
    if (fd_ >= 0) ::close(fd_);
}
void Loop::refresh_size() {
    need(::ioctl(fd_, LOOP_SET_CAPACITY, 0) == 0, "LOOP_SET_CAPACITY");
}

Zram::Zram(Bytes size) {
    std::ifstream("/sys/class/zram-control/hot_add") >> number_;
    if (number_.empty()) return;
    std::ofstream("/sys/block/zram" + number_ + "/disksize") << size.count << std::flush;
    fd_ = ::open(node().c_str(), O_RDWR | O_CLOEXEC);
}

Zram::~Zram() {
    if (fd_ >= 0) ::close(fd_);
    if (number_.empty()) return;
    // udev or blkid may hold a new disk open for a moment.
    for (int attempt = 0; attempt < 500; ++attempt) {
        std::ofstream remove("/sys/class/zram-control/hot_remove");
        if (remove << number_ << std::flush) return;
        ::usleep(10'000);
    }
}

std::optional<Mount> Mount::of(const std::string& node, const std::string& directory, const char* type,
                               const char* options) {
    static const bool own_name_space = process::enter_private_mount_namespace().has_value();
    if (!own_name_space) return std::nullopt;
    fs::create_directories(directory);
    if (::mount(node.c_str(), directory.c_str(), type, 0, options) != 0) return std::nullopt;
    return Mount(directory);
}

Mount::~Mount() {
    if (!directory_.empty()) ::umount2(directory_.c_str(), MNT_DETACH);
}

std::optional<ServedExfat> ServedExfat::on(const Loop& loop, const std::string& directory, std::string& why_not,
                                           const std::string& options) {
    why_not = !are_root()                                              ? "mounting needs root"
              : !have("mkfs.exfat") || !have("mount.exfat-fuse")       ? "needs exfatprogs and exfat-fuse"
              : run("mkfs.exfat " + loop.node() + " 2>&1").status != 0 ? "exFAT cannot be made"
                                                                       : "";
    if (!why_not.empty()) return std::nullopt;
    fs::create_directories(directory);
    if (run("mount.exfat-fuse " + options + " " + loop.node() + " " + directory + " 2>&1").status == 0)
        return ServedExfat(directory);
    why_not = "exfat-fuse does not run on this machine";
    return std::nullopt;
}

bool ServedExfat::unmount() {
    if (directory_.empty()) return true;
    const bool unmounted = run("umount " + directory_ + " 2>&1").status == 0;
    directory_.clear();
    return unmounted;
}

Ran run(const std::string& command) {
    std::FILE* pipe = ::popen(command.c_str(), "r"); // NOLINT(cert-env33-c): the commands are the tests' own
    need(pipe != nullptr, "popen");
    Ran ran;
    std::array<char, 65536> part;
    while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe)) ran.output.append(part.data(), n);
    const int status = ::pclose(pipe);
    ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ran;
}

bool have(const std::string& program) {
    return run("command -v " + program).status == 0;
}
bool are_root() {
    return ::geteuid() == 0;
}

Result<workload::JobOutcome> run_job(const workload::JobSpec& job, const workload::JobTarget& target,
                                     const std::vector<workload::PreviousCell>& already_done,
                                     workload::JobControl& control, workload::JobObserver& observer) {
    return workload::run_job(workload::linux_system(), job, target, already_done, control, observer);
}

workload::CellSpec cell_of(workload::Access access, Bytes block, Bytes volume) {
    workload::CellSpec cell;
    cell.id = "test." + std::string(workload::name_of(access)) + "." + std::to_string(block.count);
    cell.table = "test";
    cell.access = access;
    cell.block = block;
    cell.volume = volume;
    return cell;
}

workload::JobSpec sweep_of(std::vector<workload::CellSpec> cells, Bytes span) {
    workload::JobSpec job;
    job.suite = "test";
    job.kind = workload::SweepJob{.cells = std::move(cells), .span = span};
    return job;
}

workload::JobSpec verify_of(Bytes span) {
    workload::JobSpec job;
    job.suite = "verify";
    job.kind = workload::VerifyJob{};
    job.as<workload::VerifyJob>()->span = span;
    return job;
}

workload::JobTarget directory(const std::string& path, const Loop* backing) {
    workload::JobTarget target;
    target.kind = workload::JobTarget::Kind::directory;
    target.path = path;
    if (backing == nullptr) return target;
    target.backing_fd = backing->fd();
    target.backing_device = backing->node();
    return target;
}

workload::JobTarget device(const Loop& loop) {
    workload::JobTarget target;
    target.kind = workload::JobTarget::Kind::device;
    target.path = loop.node();
    target.device_fd = loop.fd();
    target.backing_fd = loop.fd();
    target.backing_device = loop.node();
    return target;
}

} // namespace mediarig::tests
