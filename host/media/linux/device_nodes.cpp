// SPDX-License-Identifier: GPL-3.0-or-later
/// Adapter of the port Nodes: the real device nodes of this machine.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "host/media/linux/blkid_probe.hpp"
#include "host/media/linux/node_facts.hpp"
#include "host/media/linux/open_by.hpp"
#include "host/media/node.hpp"

namespace mediarig::media {
namespace {

class LinuxNode final : public OpenNode {
public:
    LinuxNode(std::string node, int fd) : node_(std::move(node)), fd_(fd) {}
    LinuxNode(const LinuxNode&) = delete;
    LinuxNode& operator=(const LinuxNode&) = delete;
    ~LinuxNode() override { ::close(fd_); }

    int descriptor() const override { return fd_; }

    Result<NodeFacts> facts() override { return facts_of(fd_, node_); }

    Result<void> prove_unheld() override {
        // Through our own descriptor: this is the same device, whatever its name means by now.
        const std::string self = fmt::format("/proc/self/fd/{}", fd_);
        const int exclusive = ::open(self.c_str(), O_RDONLY | O_EXCL | O_CLOEXEC);
        if (exclusive >= 0) {
            ::close(exclusive);
            return {};
        }
        if (errno != EBUSY)
            return fail(Errc::refused, fmt::format("{} cannot be opened exclusively: {}", node_, std::strerror(errno)));
        return fail(Errc::refused, fmt::format("{} is held exclusively{}", node_, holder()));
    }

    Result<std::vector<Signature>> signatures() override {
        const auto now = facts();
        if (!now) return fail(now.error());
        return probe_signatures(fd_, now->size);
    }

private:
    /// Names the culprit where the kernel lets us see it: a mount or a device above has no process.
    std::string holder() const {
        struct stat status {};
        if (::fstat(fd_, &status) != 0) return {};
        const std::string who = open_by({major(status.st_rdev), minor(status.st_rdev)}, ::getpid());
        return who.empty() ? " by a mount, swap or device above it" : ", perhaps by " + who;
    }
    std::string node_;
    int fd_;
};

Error cannot_open(const std::string& node, int error) {
    const auto say = [&](const char* next) {
        return fmt::format("{} cannot be opened for writing: {}{}", node, std::strerror(error), next);
    };
    switch (error) {
        case EACCES:
        case EPERM:
            return {Errc::no_permission, say("; run the agent as root")};
        case EROFS:
            return {Errc::refused, say("; slide the write-protect switch")};
        case ENOENT:
        case ENXIO:
        case ENODEV:
        case ENOMEDIUM:
            return {Errc::no_medium, say("; was it unplugged?")};
        default:
            return {Errc::io_failed, say("")};
    }
}

class LinuxNodes final : public Nodes {
public:
    Result<std::unique_ptr<OpenNode>> open(const std::string& node) override {
        // O_NOFOLLOW: the name was resolved when it was identified; a link in its place is not it.
        const int fd = ::open(node.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0) return fail(cannot_open(node, errno));
        return std::make_unique<LinuxNode>(node, fd);
    }
};

} // namespace

std::unique_ptr<Nodes> make_linux_nodes() {
    return std::make_unique<LinuxNodes>();
}

} // namespace mediarig::media
