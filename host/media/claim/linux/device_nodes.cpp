// SPDX-License-Identifier: GPL-3.0-or-later
/// Adapter of the port Nodes: the real device nodes of this machine.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "host/base/process/run_process.hpp"
#include "host/media/claim/linux/blkid_probe.hpp"
#include "host/media/claim/linux/claim_lock.hpp"
#include "host/media/claim/linux/kernel/node_lock.hpp"
#include "host/media/claim/linux/kernel/node_users.hpp"
#include "host/media/claim/linux/kernel/open_by.hpp"
#include "host/media/claim/node.hpp"

namespace mediarig::media {
namespace {

using namespace std::chrono_literals;

Error cannot_open(const std::string& node, int error) {
    const auto say = [&](const char* next) {
        return fmt::format("{} cannot be opened for writing: {}{}", node, std::strerror(error), next);
    };
    switch (error) {
        case EACCES:
        case EPERM:
            return {Errc::no_permission, say("; run 'sudo -v' first, or start mediarig as root")};
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

// Many programs hold a device open for a moment.
constexpr auto open_patience = 500ms;
constexpr auto pause = 10ms;

/// Retries while `attempt` fails with errno `busy`, until the time limit. Keeps errno of the last attempt.
template <class Attempt>
bool tried(std::chrono::milliseconds patience, int busy, const Attempt& attempt) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!attempt()) {
        if (errno != busy || std::chrono::steady_clock::now() >= until) return false;
        std::this_thread::sleep_for(pause);
    }
    return true;
}

class LinuxNode final : public OpenNode {
public:
    LinuxNode(std::string node, Descriptor fd) : node_(std::move(node)), fd_(std::move(fd)) {}

    int descriptor() const override { return fd_.get(); }
    int held_descriptor() const override { return held_.get(); }

    /// Facts of the exclusive descriptor if the device is held, otherwise of the read-only descriptor.
    Result<NodeFacts> facts() override { return facts_of(held_ ? held_.get() : fd_.get(), node_); }

    Result<void> hold() override {
        if (held_) return {};
        if (auto locked = lock(); !locked) return locked;
        const std::string self = fmt::format("/proc/self/fd/{}", fd_.get());
        const bool opened = tried(open_patience, EBUSY, [&] {
            held_ = Descriptor(::open(self.c_str(), O_RDWR | O_EXCL | O_CLOEXEC));
            return static_cast<bool>(held_);
        });
        if (opened) return {};
        if (errno != EBUSY) return fail(cannot_open(node_, errno));
        return fail(Errc::refused, fmt::format("{} is held exclusively{}: end that use, then try again", node_,
                                               possible_holders(fd_.get())));
    }

    Result<void> check_no_writer(Use use) override {
        const auto now = facts();
        if (!now) return fail(now.error());
        return media::check_no_writer(now->number, use);
    }

    Result<void> release() override {
        if (!held_) return {};
        const int failed = ::fsync(held_.get()) == 0 ? 0 : errno;
        held_.close();
        // A child process that another claim is starting may still have the descriptor open; the next program to open
        // the device would fail with EBUSY.
        process::wait_for_starts();
        if (failed == 0) return {};
        return fail(Errc::io_failed, fmt::format("cannot write back to {}: {}", node_, std::strerror(failed)));
    }

    Result<SignatureScan> signatures() override {
        const auto now = facts();
        if (!now) return fail(now.error());
        // The cache of this node does not contain writes through a partition or another device on the same bytes.
        (void)drop_cached(fd_.get());
        return probe_signatures(fd_.get(), now->size);
    }

private:
    /// Takes the BSD lock that other programs respect and the claim lock, which also excludes claims through another
    /// node.
    Result<void> lock() {
        if (locked_) return {};
        if (auto locked = lock_node(fd_.get(), node_); !locked) return locked;
        const auto now = facts();
        if (!now) return fail(now.error());
        auto claim = lock_claim(now->number, now->disk_sequence);
        if (!claim) return fail(claim.error().code, fmt::format("{}: {}", node_, claim.error().detail));
        claim_ = std::move(*claim);
        locked_ = true;
        return {};
    }
    std::string node_;
    Descriptor fd_, held_, claim_;
    bool locked_{};
};

class LinuxNodes final : public Nodes {
public:
    Result<std::unique_ptr<OpenNode>> open(const std::string& node) override {
        // O_NOFOLLOW: identification resolved the path, so a link at this path now is a different file.
        Descriptor fd(::open(node.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        if (!fd) return fail(cannot_open(node, errno));
        return std::make_unique<LinuxNode>(node, std::move(fd));
    }
};

} // namespace

std::unique_ptr<Nodes> make_linux_nodes() {
    return std::make_unique<LinuxNodes>();
}

} // namespace mediarig::media
