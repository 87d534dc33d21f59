// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/image/loop.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/loop.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "host/media/image/image_file.hpp"
#include "host/media/linux/sysfs.hpp"

namespace mediarig::media {
namespace {

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    [[nodiscard]] int get() const { return fd_; }
    [[nodiscard]] int release() { return std::exchange(fd_, -1); }

private:
    int fd_;
};

Error with_errno(const std::string& what, int error) {
    const bool denied = error == EACCES || error == EPERM;
    return {denied ? Errc::no_permission : Errc::io_failed,
            fmt::format("{}: {}{}", what, std::strerror(error), denied ? "; attaching an image needs root" : "")};
}

/// Which refusals of an image are wrong words of the caller, and which are for safety.
Result<void> check_image(const Medium& image) {
    if (image.refusals.empty()) return {};
    const Refusal& first = image.refusals.front();
    return fail(first.kind == RefusalKind::too_small ? Errc::bad_request : Errc::refused,
                fmt::format("{} cannot be attached: {}", image.node, first.detail));
}

bool configure(int loop, int file, const std::string& path, std::uint32_t flags) {
    struct loop_config config {};
    config.fd = static_cast<std::uint32_t>(file);
    config.info.lo_flags = flags;
    path.copy(reinterpret_cast<char*>(config.info.lo_file_name), LO_NAME_SIZE - 1);
    return ::ioctl(loop, LOOP_CONFIGURE, &config) == 0;
}

/// Whether the kernel really does direct I/O: where the backing file system cannot, it drops the flag in silence.
bool direct_io_of(int loop) {
    struct loop_info64 info {};
    return ::ioctl(loop, LOOP_GET_STATUS64, &info) == 0 && (info.lo_flags & LO_FLAGS_DIRECT_IO) != 0;
}

bool stands_on(const std::string& node, const std::string& image) {
    const auto backing = read_file_if_there("/sys/class/block/" + base_name(node) + "/loop/backing_file");
    // The kernel appends " (deleted)" when the image was removed meanwhile.
    return backing && *backing && (*backing)->starts_with(image);
}

} // namespace

LoopDevice::LoopDevice(std::string node, std::string image, int fd, bool direct_io)
    : node_(std::move(node)), image_(std::move(image)), fd_(fd), direct_io_(direct_io) {}

LoopDevice::LoopDevice(LoopDevice&& other) noexcept
    : node_(std::move(other.node_)),
      image_(std::exchange(other.image_, {})),
      fd_(std::exchange(other.fd_, -1)),
      direct_io_(other.direct_io_) {}

LoopDevice& LoopDevice::operator=(LoopDevice&& other) noexcept {
    if (this == &other) return *this;
    LoopDevice old(std::move(*this));
    node_ = std::move(other.node_);
    image_ = std::exchange(other.image_, {});
    fd_ = std::exchange(other.fd_, -1);
    direct_io_ = other.direct_io_;
    return *this;
}

LoopDevice::~LoopDevice() {
    if (fd_ < 0) return;
    // Whoever still has it open keeps it until they close it: autoclear does the rest.
    ::ioctl(fd_, LOOP_CLR_FD);
    ::close(fd_);
}

Result<void> LoopDevice::detach() {
    using namespace std::chrono_literals;
    if (image_.empty()) return {};
    if (fd_ >= 0) {
        const Descriptor exclusive(::open(node_.c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
        if (exclusive.get() < 0 && errno == EBUSY)
            return fail(Errc::io_failed,
                        fmt::format("{} cannot be detached: it is mounted or held by another device", node_));
    }
    if (fd_ >= 0) {
        ::ioctl(fd_, LOOP_CLR_FD);
        ::close(std::exchange(fd_, -1));
    }
    // udev looks at the device after every change and holds it open for some milliseconds.
    for (const auto deadline = std::chrono::steady_clock::now() + 2s; stands_on(node_, image_);) {
        if (std::chrono::steady_clock::now() > deadline)
            return fail(
                Errc::io_failed,
                fmt::format("{} is still open somewhere: it detaches from {} when it is closed", node_, image_));
        std::this_thread::sleep_for(5ms);
    }
    image_.clear();
    return {};
}

Result<LoopDevice> attach_loop(const std::string& image) {
    const auto described = describe_image(image);
    if (!described) return fail(described.error());
    if (auto fit = check_image(*described); !fit) return fail(fit.error());

    const Descriptor file(::open(described->node.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (file.get() < 0) return fail(with_errno(described->node + " cannot be opened for writing", errno));
    // The loop device keeps this open file, and with it the lock: two of us never attach the same image.
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
        return fail(Errc::refused, described->node + " is locked by another program, perhaps attached already");

    const Descriptor control(::open("/dev/loop-control", O_RDWR | O_CLOEXEC));
    if (control.get() < 0) return fail(with_errno("/dev/loop-control cannot be opened", errno));

    // Another program may take the free device between the question and the answer.
    constexpr int attempts = 64;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const int number = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
        if (number < 0) return fail(with_errno("no free loop device", errno));
        const std::string node = fmt::format("/dev/loop{}", number);
        Descriptor loop(::open(node.c_str(), O_RDWR | O_CLOEXEC));
        if (loop.get() < 0) return fail(with_errno(node + " cannot be opened", errno));

        bool attached = configure(loop.get(), file.get(), described->node, LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO);
        // EINVAL: this kernel refuses direct I/O on this file system instead of dropping the flag.
        if (!attached && errno == EINVAL)
            attached = configure(loop.get(), file.get(), described->node, LO_FLAGS_AUTOCLEAR);
        if (attached) {
            const bool direct = direct_io_of(loop.get());
            return LoopDevice(node, described->node, loop.release(), direct);
        }
        if (errno != EBUSY)
            return fail(with_errno(fmt::format("{} cannot be attached to {}", described->node, node), errno));
    }
    return fail(Errc::io_failed, "every free loop device was taken by somebody else: try again");
}

} // namespace mediarig::media
