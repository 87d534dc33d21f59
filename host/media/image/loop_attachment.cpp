// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/image/loop_attachment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "host/media/linux/kernel/sysfs.hpp"

namespace mediarig::media {
namespace {

Error with_errno(const std::string& what, int error) {
    const bool denied = error == EACCES || error == EPERM;
    return {denied ? Errc::no_permission : Errc::io_failed,
            fmt::format("{}: {}{}", what, std::strerror(error),
                        denied ? "; a loop device takes root: run 'sudo -v' first, or start mediarig as root" : "")};
}

bool configure(int loop, int file, const std::string& name, const LoopWindow& window, std::uint32_t flags) {
    struct loop_config config {};
    config.fd = static_cast<std::uint32_t>(file);
    config.block_size = window.block_size;
    config.info.lo_flags = flags;
    config.info.lo_offset = window.offset.count;
    config.info.lo_sizelimit = window.length.count;
    name.copy(reinterpret_cast<char*>(config.info.lo_file_name), LO_NAME_SIZE - 1);
    return ::ioctl(loop, LOOP_CONFIGURE, &config) == 0;
}

bool direct_io_of(int loop) {
    struct loop_info64 info {};
    return ::ioctl(loop, LOOP_GET_STATUS64, &info) == 0 && (info.lo_flags & LO_FLAGS_DIRECT_IO) != 0;
}

/// As the kernel will tell it.
Result<LoopWindowFacts> window_onto(int file, const LoopWindow& window) {
    struct stat status {};
    if (::fstat(file, &status) != 0) return fail(with_errno("cannot look at what is to be attached", errno));
    const bool device = S_ISBLK(status.st_mode);
    return LoopWindowFacts{.backing_device = device ? status.st_rdev : status.st_dev,
                           .backing_inode = device ? 0 : status.st_ino,
                           .offset = window.offset,
                           .limit = window.length};
}

/// Tells this attachment from one that somebody else made with the same device afterwards: "offset\nbacking file".
std::string window_of(const std::string& node) {
    const std::string loop = block_class + base_name(node) + "/loop/";
    auto backing = read_file_if_there(loop + "backing_file");
    const auto offset = read_file_if_there(loop + "offset");
    if (!backing || !*backing || !offset || !*offset) return {};
    if ((*backing)->ends_with('\n')) (*backing)->pop_back();
    return **offset + **backing;
}

} // namespace

LoopAttachment::LoopAttachment(std::string node, Descriptor fd, const LoopWindowFacts& shows, bool direct_io)
    : node_(std::move(node)), fd_(std::move(fd)), window_(window_of(node_)), shows_(shows), direct_io_(direct_io) {}

LoopAttachment& LoopAttachment::operator=(LoopAttachment&& other) noexcept {
    if (this == &other) return *this;
    LoopAttachment old(std::move(*this));
    node_ = std::move(other.node_);
    fd_ = std::move(other.fd_);
    window_ = std::move(other.window_);
    shows_ = other.shows_;
    direct_io_ = other.direct_io_;
    return *this;
}

LoopAttachment::~LoopAttachment() {
    // Autoclear alone would do, unless a child of ours inherited the descriptor.
    if (fd_) ::ioctl(fd_.get(), LOOP_CLR_FD);
}

Result<void> LoopAttachment::detach() {
    using namespace std::chrono_literals;
    if (fd_) {
        // Who tries to attach something to a device that was free a moment ago claims it for that moment.
        constexpr int tries = 40;
        for (int attempt = 1;; ++attempt) {
            const Descriptor exclusive(
                ::open(fmt::format("/proc/self/fd/{}", fd_.get()).c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
            if (exclusive || errno != EBUSY) break;
            if (attempt == tries)
                return fail(Errc::io_failed,
                            fmt::format("{} cannot be detached: it is mounted or held by another device", node_));
            std::this_thread::sleep_for(5ms);
        }
        ::ioctl(fd_.get(), LOOP_CLR_FD);
        fd_.close();
    }
    // udev looks at the device after every change and holds it open for some milliseconds. The kernel appends
    // " (deleted)" to the name of a file that was removed meanwhile.
    for (const auto deadline = std::chrono::steady_clock::now() + 2s;
         !window_.empty() && window_of(node_).starts_with(window_);) {
        if (std::chrono::steady_clock::now() > deadline)
            return fail(Errc::io_failed,
                        fmt::format("{} is still open somewhere: it detaches when it is closed", node_));
        std::this_thread::sleep_for(5ms);
    }
    window_.clear();
    return {};
}

Result<LoopAttachment> attach_to_free_loop(int file, const std::string& name, const LoopWindow& window,
                                           const std::string& loop_control) {
    const Descriptor control(::open(loop_control.c_str(), O_RDWR | O_CLOEXEC));
    if (!control) return fail(with_errno(loop_control + " cannot be opened", errno));

    const auto shows = window_onto(file, window);
    if (!shows) return fail(shows.error());
    // Another program may take the free device between the question and the answer, or hold it without attaching
    // anything: then the kernel goes on offering it, and a new one is made.
    constexpr int attempts = 24, attempts_at_offered = 8;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const int number = attempt < attempts_at_offered ? ::ioctl(control.get(), LOOP_CTL_GET_FREE)
                                                         : ::ioctl(control.get(), LOOP_CTL_ADD, -1);
        if (number < 0) return fail(with_errno("no free loop device", errno));
        const std::string node = fmt::format("/dev/loop{}", number);
        Descriptor loop(::open(node.c_str(), O_RDWR | O_CLOEXEC));
        if (!loop) return fail(with_errno(node + " cannot be opened", errno));

        bool attached = configure(loop.get(), file, name, window, LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO);
        // EINVAL: this kernel refuses direct I/O on this file system instead of dropping the flag.
        if (!attached && errno == EINVAL) attached = configure(loop.get(), file, name, window, LO_FLAGS_AUTOCLEAR);
        if (attached) {
            // Whoever had the device before may have left it write-protected (blockdev --setro): that outlives the
            // detaching.
            const int off = 0;
            ::ioctl(loop.get(), BLKROSET, &off);
            const bool direct = direct_io_of(loop.get());
            return LoopAttachment(node, std::move(loop), *shows, direct);
        }
        if (errno != EBUSY) return fail(with_errno(fmt::format("{} cannot be attached to {}", name, node), errno));
    }
    return fail(Errc::io_failed, "every free loop device was taken by other programs: try again");
}

} // namespace mediarig::media
