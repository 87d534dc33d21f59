// SPDX-License-Identifier: GPL-3.0-or-later
#include <linux/netlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "host/media/claim/linux/hotplug_monitors.hpp"
#include "host/media/claim/linux/kernel/uevent.hpp"

namespace mediarig::media {
namespace {

class KernelMonitor final : public HotplugMonitor {
public:
    explicit KernelMonitor(int fd) : fd_(fd) {}
    KernelMonitor(const KernelMonitor&) = delete;
    KernelMonitor& operator=(const KernelMonitor&) = delete;
    ~KernelMonitor() override { ::close(fd_); }

    int descriptor() const override { return fd_; }

    std::optional<HotplugEvent> next() override {
        // Most messages are from other subsystems: read until a message matches or the queue is empty.
        while (true) {
            std::array<char, 16384> buffer{};
            struct sockaddr_nl sender {};
            socklen_t sender_size = sizeof sender;
            const ssize_t got = ::recvfrom(fd_, buffer.data(), buffer.size(), MSG_DONTWAIT,
                                           reinterpret_cast<struct sockaddr*>(&sender), &sender_size);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0 && errno == ENOBUFS)
                return HotplugEvent{.kind = HotplugKind::changed, .node = {}, .number = {}, .sysfs_path = {}};
            if (got <= 0) return std::nullopt;
            // Any privileged program can send to this group; only the kernel has port id 0.
            if (sender.nl_pid != 0) continue;
            if (auto event = parse_uevent({buffer.data(), static_cast<std::size_t>(got)})) return event;
        }
    }

private:
    int fd_;
};

} // namespace

Result<std::unique_ptr<HotplugMonitor>> make_kernel_monitor() {
    const int fd = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
    if (fd < 0) return fail(Errc::io_failed, std::string("kernel events cannot be received: ") + std::strerror(errno));
    auto monitor = std::make_unique<KernelMonitor>(fd);
    // A hub with seven readers causes some hundred events at once.
    const int buffer = 4 << 20;
    ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    struct sockaddr_nl address {};
    address.nl_family = AF_NETLINK;
    address.nl_groups = 1;
    if (::bind(fd, reinterpret_cast<const struct sockaddr*>(&address), sizeof address) != 0)
        return fail(errno == EPERM ? Errc::no_permission : Errc::io_failed,
                    std::string("kernel events cannot be received: ") + std::strerror(errno));
    return monitor;
}

} // namespace mediarig::media
