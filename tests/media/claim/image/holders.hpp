// SPDX-License-Identifier: GPL-3.0-or-later
/// Real holders of files and loop devices for tests. Each holder releases its file or device at the end of its scope.
#pragma once

#include <fcntl.h>
#include <linux/loop.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "host/base/process/caller.hpp"
#include "host/base/process/mount_namespace.hpp"
#include "host/media/claim/image/image_lock.hpp"
#include "host/media/claim/image/loop.hpp"
#include "host/media/claim/linux/linux_media.hpp"
#include "host/media/identity/medium.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

namespace mediarig::media::holders {

namespace fs = std::filesystem;

inline int run(const std::string& command) {
    return std::system(("{ " + command + "; } >/dev/null 2>&1").c_str());
}

/// Processor time of this thread, which excludes other load.
inline std::chrono::nanoseconds processor_time() {
    struct timespec now {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// A folder for one test in a private mount namespace, removed with its contents.
class Folder : public tests::Scratch {
public:
    explicit Folder(const fs::path& parent = fs::temp_directory_path()) : Scratch(parent) {
        static const bool own_namespace = process::enter_private_mount_namespace().has_value();
        (void)own_namespace;
    }
    ~Folder() {
        for (auto point = mounted_.rbegin(); point != mounted_.rend(); ++point) ::umount2(point->c_str(), MNT_DETACH);
        for (const fs::path& file : swaps_) ::swapoff(file.c_str());
    }
    [[nodiscard]] std::string file(const std::string& name, Bytes size = 16_MiB) const {
        std::string file = image(name, size);
        fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
        return file;
    }
    std::string directory(const std::string& name) const {
        fs::create_directories(*this / name);
        return path(name);
    }
    /// Mounts a file system, which is unmounted with the folder. Empty if the kernel refuses.
    std::string mounted(const std::string& source, const std::string& name, const std::string& type,
                        const std::string& options = "") {
        const std::string point = directory(name);
        if (::mount(source.c_str(), point.c_str(), type.c_str(), type == "erofs" ? MS_RDONLY : 0, options.c_str()) != 0)
            return {};
        mounted_.push_back(point);
        return point;
    }
    /// Makes a mount of another program, which is removed with the folder.
    void unmount_in_the_end(const std::string& point) { mounted_.emplace_back(point); }
    /// Makes a file without holes, as required by swap, and enables swap on it.
    std::string swap_file(const std::string& name) const {
        const std::string path = file(name, 0_B);
        run("dd if=/dev/zero bs=1M count=16 of=" + path + " && mkswap " + path);
        return path;
    }
    bool swap_on(const std::string& path) {
        if (::swapon(path.c_str(), 0) != 0) return false;
        swaps_.push_back(path);
        return true;
    }

private:
    std::vector<fs::path> mounted_, swaps_;
};

inline process::FoundFile opened(const std::string& path, int flags = O_RDWR) {
    process::FoundFile file{.descriptor = Descriptor(::open(path.c_str(), flags | O_CLOEXEC)), .path = path};
    REQUIRE(file.descriptor);
    REQUIRE(::fstat(file.descriptor.get(), &file.status) == 0);
    return file;
}

inline FileIdentity identity_of(const std::string& path) {
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    return {status.st_dev, status.st_ino};
}

inline DeviceNumber number_of(const std::string& node) {
    struct stat status {};
    REQUIRE(::stat(node.c_str(), &status) == 0);
    return {major(status.st_rdev), minor(status.st_rdev)};
}

/// A loop device as attached by another process, with its descriptor closed.
inline LoopAttachment attached(const std::string& below, LoopWindow window = {}) {
    const Descriptor file(::open(below.c_str(), O_RDWR | O_CLOEXEC));
    REQUIRE(file);
    auto loop = attach_to_free_loop(file.get(), below, window);
    REQUIRE(reason(loop) == "success");
    return std::move(*loop);
}

/// Another process that performs an action, reports it, and waits to be ended.
class Holder {
public:
    explicit Holder(const std::function<bool()>& does) {
        int ready[2];
        REQUIRE(::pipe(ready) == 0);
        process_ = ::fork();
        if (process_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            const char answer = does() ? 'y' : 'n';
            if (::write(ready[1], &answer, 1) != 1) ::_exit(1);
            while (true) ::pause();
        }
        ::close(ready[1]);
        char answer = 0;
        holds_ = ::read(ready[0], &answer, 1) == 1 && answer == 'y';
        ::close(ready[0]);
    }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;
    ~Holder() { end(); }
    void end() {
        if (process_ <= 0) return;
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
        process_ = -1;
    }
    [[nodiscard]] bool holds() const { return holds_; }
    [[nodiscard]] std::string name() const { return "process " + std::to_string(process_); }

private:
    pid_t process_{-1};
    bool holds_{};
};

/// A foreign program, started by a shell that it replaces. `ready` is polled until true.
class Program {
public:
    Program(const std::string& command, const std::function<bool(pid_t)>& ready) {
        process_ = ::fork();
        if (process_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            ::setpgid(0, 0);
            ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
            ::_exit(127);
        }
        for (int i = 0; i < 2000 && !(is_ready_ = ready(process_)); ++i) {
            if (::waitpid(process_, nullptr, WNOHANG) != 0) break;
            ::usleep(5000);
        }
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() {
        ::kill(-process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }
    [[nodiscard]] bool is_ready() const { return is_ready_; }
    void send(int signal) const { ::kill(-process_, signal); }

private:
    pid_t process_{-1};
    bool is_ready_{};
};

/// A mount namespace with a mounted loop device, in a process that ends with the object.
class OtherNamespace {
public:
    OtherNamespace(const std::string& node, const fs::path& point) {
        int ready[2], done[2];
        if (::pipe(ready) != 0 || ::pipe(done) != 0) return;
        process_ = ::fork();
        if (process_ == 0) {
            ::close(done[1]);
            const bool mounted = process::enter_private_mount_namespace() &&
                                 ::mount(node.c_str(), point.c_str(), "ext4", 0, nullptr) == 0;
            char answer = mounted ? 'y' : 'n';
            if (::write(ready[1], &answer, 1) != 1) ::_exit(1);
            // Waits until the parent closes its end.
            (void)!::read(done[0], &answer, 1);
            ::_exit(0);
        }
        char answer = 0;
        mounted_ = ::read(ready[0], &answer, 1) == 1 && answer == 'y';
        for (const int fd : {ready[0], ready[1], done[0]}) ::close(fd);
        done_ = done[1];
    }
    OtherNamespace(const OtherNamespace&) = delete;
    OtherNamespace& operator=(const OtherNamespace&) = delete;
    ~OtherNamespace() { end_process(); }
    [[nodiscard]] bool mounted() const { return mounted_; }
    [[nodiscard]] pid_t process() const { return process_; }
    /// The namespace exists as long as the descriptor, without any process.
    Descriptor keep_without_process() {
        Descriptor kept(::open(("/proc/" + std::to_string(process_) + "/ns/mnt").c_str(), O_RDONLY | O_CLOEXEC));
        end_process();
        return kept;
    }

private:
    void end_process() {
        if (process_ <= 0) return;
        ::close(done_);
        ::waitpid(process_, nullptr, 0);
        process_ = -1;
    }
    pid_t process_{-1};
    int done_{-1};
    bool mounted_{};
};

/// Returns the result of a hold of this file: "success", or the reason of the failure.
inline std::string taken(const std::string& path, uid_t caller = 0, Use use = Use::must_be_known) {
    auto file = opened(path);
    const auto hold = ImageLock::take(file, {caller, caller}, use);
    if (!hold) CHECK(hold.error().code == Errc::refused);
    return reason(hold);
}

inline std::vector<Refusal> refusals_of(const std::string& target, const OwnDevices& own = {}) {
    const auto medium = make_linux_discovery()->identify(target, own);
    REQUIRE(reason(medium) == "success");
    return medium->refusals;
}

inline std::string name_of_loop(const LoopAttachment& loop) {
    return loop.node().substr(5);
}

/// The refusals as a user sees them, one line each.
inline std::string said(const std::vector<Refusal>& refusals) {
    std::string text;
    for (const Refusal& refusal : refusals) text += std::string(name_of(refusal.kind)) + ": " + refusal.detail + "\n";
    return text;
}

} // namespace mediarig::media::holders

#define NEEDS_ROOT()                                                         \
    if (::geteuid() != 0 || ::access("/dev/loop-control", R_OK | W_OK) != 0) \
    MEDIARIG_SKIP("loop devices and mounts need root and /dev/loop-control")
