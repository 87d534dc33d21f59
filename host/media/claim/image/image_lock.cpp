// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/image/image_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <thread>

#include "host/base/process/run_process.hpp"
#include "host/media/claim/image/overlay_upper.hpp"
#include "host/media/claim/linux/kernel/block_graph.hpp"
#include "host/media/claim/linux/kernel/bounded_calls.hpp"
#include "host/media/claim/linux/kernel/loop_map.hpp"
#include "host/media/claim/linux/kernel/open_by.hpp"
#include "host/media/claim/linux/kernel/udev_properties.hpp"
#include "host/media/claim/linux/kernel/usage.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {
namespace {

using namespace std::chrono_literals;

enum class Lease : std::uint8_t { granted, in_use, unsupported };

/// Runs the given function, which must be short, while the kernel blocks every other open of the file.
Lease with_write_lease(int file, const std::function<void()>& meanwhile) {
    // The kernel sends a signal to the lease holder when another process waits. The default signal, SIGIO, would end
    // the process; SIGURG is ignored by default.
    ::fcntl(file, F_SETSIG, SIGURG);
    if (::fcntl(file, F_SETLEASE, F_WRLCK) != 0) {
        const int error = errno;
        ::fcntl(file, F_SETSIG, 0);
        return error == EAGAIN || error == EBUSY ? Lease::in_use : Lease::unsupported;
    }
    meanwhile();
    ::fcntl(file, F_SETLEASE, F_UNLCK);
    ::fcntl(file, F_SETOWN, 0);
    ::fcntl(file, F_SETSIG, 0);
    return Lease::granted;
}

/// True if every open of a file in this file system uses the one inode of this kernel, so that a lease is conclusive.
/// FUSE, 9p and network file systems store the bytes elsewhere, where other machines open them under other names. These
/// file systems still grant a lease.
bool leases_tell(int file) {
    // f_type of statfs(2). The upper file of an overlay is checked separately.
    constexpr std::array<unsigned long, 9> local{EXT4_SUPER_MAGIC,      XFS_SUPER_MAGIC,   BTRFS_SUPER_MAGIC,
                                                 F2FS_SUPER_MAGIC,      TMPFS_MAGIC,       RAMFS_MAGIC,
                                                 OVERLAYFS_SUPER_MAGIC, MSDOS_SUPER_MAGIC, EXFAT_SUPER_MAGIC};
    struct statfs about {};
    return ::fstatfs(file, &about) == 0 &&
           std::ranges::find(local, static_cast<unsigned long>(about.f_type)) != local.end();
}

/// Retries, because an indexer or a backup may have the file open for a moment.
Lease ask_for_lease(int file, const std::function<void()>& meanwhile) {
    constexpr int attempts = 10;
    if (!leases_tell(file)) return Lease::unsupported;
    for (int attempt = 1;; ++attempt) {
        const Lease lease = with_write_lease(file, meanwhile);
        if (lease != Lease::in_use || attempt == attempts) return lease;
        // A child process that another claim is starting may still hold a descriptor of this file that was closed here.
        process::wait_for_starts();
        std::this_thread::sleep_for(2ms);
    }
}

enum class LockResult : std::uint8_t { ours, by_another, unsupported };

/// QEMU and databases check record locks; other mediarig processes and many tools check BSD locks (flock), so take
/// both.
LockResult lock(int file) {
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    if (::fcntl(file, F_OFD_SETLK, &whole) != 0)
        return errno == EAGAIN || errno == EACCES ? LockResult::by_another : LockResult::unsupported;
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) return LockResult::ours;
    return errno == EWOULDBLOCK ? LockResult::by_another : LockResult::unsupported;
}

void unlock(const Descriptor& file) {
    if (!file) return;
    struct flock whole {};
    whole.l_type = F_UNLCK;
    whole.l_whence = SEEK_SET;
    ::fcntl(file.get(), F_OFD_SETLK, &whole);
    ::flock(file.get(), LOCK_UN);
}

FileIdentity identity_of_open(const Descriptor& file) {
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) return {};
    return {status.st_dev, status.st_ino};
}

/// Reopens a file with the rights of the caller; this process may have fewer rights than the caller.
Descriptor reopen(const Descriptor& file, int flags, const process::Caller& caller) {
    const auto rights = process::CallerRights::of(caller);
    if (!rights) return Descriptor();
    return Descriptor(::open(fmt::format("/proc/self/fd/{}", file.get()).c_str(), flags | O_CLOEXEC));
}

constexpr const char* then_again = ": end that use, then try again";

Error in_use(const std::string& path, const std::vector<FileIdentity>& file, const std::string& name,
             const OwnDevices& own = {}) {
    return {Errc::refused, fmt::format("{} is in use: {}{}", path, describe_users(file, name, own), then_again)};
}

Error locked_by_another(const std::string& path, FileIdentity file) {
    return {Errc::refused,
            fmt::format("{} is locked by another program: {}{}", path, describe_users({file}, path), then_again)};
}

struct OverlayLock {
    Descriptor upper;
    std::string doubt; ///< reason why the use of the upper file is unknown; empty if it is locked
};

/// Proves that the upper file is not open, through the overlay or directly, and locks it. An overlay opens the upper
/// file for each descriptor of the merged file, so the merged descriptor is closed during the check. Between the check
/// and the reopening another process could open the upper file by its own path; later only locks on the upper file
/// reveal such a process.
Result<OverlayLock> hold_upper_file(process::FoundFile& file, const process::Caller& caller) {
    const auto found = find_upper_file(file);
    if (!found) return OverlayLock{.upper = Descriptor(), .doubt = found.error().detail};
    const int flags = ::fcntl(file.descriptor.get(), F_GETFL) & (O_ACCMODE | O_APPEND | O_DIRECT | O_SYNC | O_NONBLOCK);
    const Descriptor merged = reopen(file.descriptor, O_PATH, caller);
    if (!merged) return fail(Errc::io_failed, fmt::format("{} cannot be kept: {}", file.path, std::strerror(errno)));
    file.descriptor.close();

    Descriptor upper = reopen(*found, O_RDWR, caller);
    LockResult locked = LockResult::unsupported;
    const Lease lease = upper ? ask_for_lease(upper.get(), [&] { locked = lock(upper.get()); }) : Lease::unsupported;
    file.descriptor = reopen(merged, flags, caller);
    if (!file.descriptor)
        return fail(Errc::io_failed, fmt::format("{} cannot be opened again: {}", file.path, std::strerror(errno)));
    if (lease == Lease::in_use || (lease == Lease::granted && locked == LockResult::by_another))
        return fail(
            in_use(file.path, {identity_of_open(upper), identity_of_open(merged)}, "the file below its overlay"));
    if (lease == Lease::unsupported)
        return OverlayLock{
            .upper = Descriptor(),
            .doubt = file.path + " is on an overlay, and it cannot be proved that the file below is unused"};
    return OverlayLock{.upper = std::move(upper), .doubt = {}};
}

} // namespace

ImageLock::ImageLock(Descriptor file, std::string path, FileIdentity identity)
    : file_(std::move(file)), path_(std::move(path)), identity_(identity) {}

ImageLock::~ImageLock() {
    unlock(file_);
    unlock(upper_);
}

Result<ImageLock> ImageLock::take(process::FoundFile& file, const process::Caller& caller, Use use) {
    const bool own = file.status.st_uid == caller.user;
    // FUSE and network file systems can change the file without a lease: docs/reference/safety.md declares this limit.
    const auto declared = [&](const std::string& why) -> Result<void> {
        if (own) return {};
        return fail(Errc::refused, fmt::format("{}; it belongs to user {}: only that user may use it as a medium", why,
                                               file.status.st_uid));
    };
    const auto unproved = [&](const std::string& why) -> Result<void> {
        if (auto owned = declared(why); !owned) return owned;
        if (use == Use::may_be_unknown) return {};
        return fail(Errc::refused, fmt::format("{}; {}", why, how_to_permit_unknown_use));
    };
    Descriptor upper;
    if (is_on_overlay(file.descriptor)) {
        auto held = hold_upper_file(file, caller);
        if (!held) return fail(held.error());
        if (!held->doubt.empty()) {
            if (auto accepted = unproved(held->doubt); !accepted) return fail(accepted.error());
        }
        upper = std::move(held->upper);
    }

    // The duplicate shares the open file description, and therefore locks and lease.
    Descriptor shared(::fcntl(file.descriptor.get(), F_DUPFD_CLOEXEC, 0));
    const FileIdentity identity = identity_of_open(shared);
    if (!shared || identity != FileIdentity{file.status.st_dev, file.status.st_ino})
        return fail(Errc::refused, file.path + " is a different file from the opened one");
    ImageLock hold(std::move(shared), file.path, identity);
    hold.upper_ = std::move(upper);

    LockResult locked = LockResult::unsupported;
    const auto take_locks = [&] { locked = lock(hold.file_.get()); };
    const Lease lease = ask_for_lease(hold.file_.get(), take_locks);
    if (lease == Lease::in_use) return fail(in_use(file.path, {identity}, file.path));
    if (lease == Lease::unsupported) {
        hold.leases_ = false;
        if (auto accepted = declared(file.path + " is on a file system without reliable leases (FUSE, network), so it "
                                                 "cannot be proved that no other process uses it");
            !accepted)
            return fail(accepted.error());
        take_locks();
    }
    if (locked == LockResult::by_another) return fail(locked_by_another(file.path, identity));
    if (locked == LockResult::unsupported) {
        if (auto accepted = declared(file.path + " is on a file system without locks"); !accepted)
            return fail(accepted.error());
    }
    return hold;
}

Result<ImageLock> ImageLock::take_below_loop(process::FoundFile& file) {
    // A file mapped through an overlay has other numbers in /proc/PID/maps, which differ between kernels.
    if (is_on_overlay(file.descriptor))
        return fail(Errc::refused, file.path +
                                       " is on an overlay, and while a loop device has it open it cannot be proved "
                                       "that no other process uses it: detach the loop device and name the image file");
    Descriptor shared(::fcntl(file.descriptor.get(), F_DUPFD_CLOEXEC, 0));
    ImageLock hold(std::move(shared), file.path, {file.status.st_dev, file.status.st_ino});
    hold.leases_ = false;
    if (!hold.file_ || !leases_tell(hold.file_.get()))
        return fail(Errc::refused, file.path +
                                       " is on a file system (FUSE, network) that stores its bytes elsewhere, and "
                                       "while a loop device has it open it cannot be proved that no other process uses "
                                       "them: detach the loop device and name the image file");
    const LockResult locked = lock(hold.file_.get());
    if (locked == LockResult::unsupported) return fail(Errc::refused, file.path + " cannot be locked");
    if (locked == LockResult::by_another) return fail(locked_by_another(file.path, hold.identity_));
    if (!shows_all_processes())
        return fail(Errc::refused, file.path +
                                       " is open below a loop device, and the machine's processes cannot be "
                                       "seen from this container: name the image file");
    if (const std::string place = mount_source_on(file.status.st_dev); !place.empty())
        return fail(Errc::refused, fmt::format("{} may be mounted on {}, directly from a file that may have been "
                                               "renamed: unmount it, or detach the loop device and name the image file",
                                               file.path, place));
    ProcessSearch search(10s);
    SoughtFile sought{.identities = {hold.identity_}, .also_as = file.status};
    const auto in_use_by = [&](const std::string& who) {
        return fail(Errc::refused, fmt::format("{} is in use: it is open in {}{}", file.path, who, then_again));
    };
    if (const std::string who = open_by(sought, ::getpid(), search); !who.empty()) return in_use_by(who);
    if (const auto device = device_of_mount(hold.file_)) sought.identities.push_back({*device, hold.identity_.inode});
    if (const std::string who = mapped_by(sought, search); !who.empty()) return in_use_by(who);
    if (const std::string overlay = overlay_over(file); !overlay.empty())
        return fail(Errc::refused, fmt::format("{} {}, and while a loop device has it open it cannot be proved that no "
                                               "process uses it there: detach the loop device and name the image file",
                                               file.path, overlay));
    if (const std::string missed = search.missed(); !missed.empty())
        return fail(Errc::refused, fmt::format("{} may be in use: {}", file.path, missed));
    return hold;
}

Result<void> ImageLock::recheck(const OwnDevices& own) const {
    // The overlay holds the upper file open for this process, so the kernel grants no lease on it. Look up the kernel's
    // uses of the upper file by its identity instead.
    if (upper_) {
        const auto uses = kernel_uses_of(identity_of_open(upper_), path_, own);
        if (!uses) return fail(uses.error());
        for (const Refusal& use : *uses)
            if (use.kind != RefusalKind::unknown_state)
                return fail(Errc::refused, fmt::format("{} is in use below its overlay: {}", path_, use.detail));
    }
    if (!leases_) return {};
    if (ask_for_lease(file_.get(), [] {}) == Lease::granted) return {};
    return fail(in_use(path_, {identity_}, path_, own));
}

Result<std::vector<Refusal>> kernel_uses_of(FileIdentity file, const std::string& name, const OwnDevices& own) {
    const auto loops = LoopMap::read();
    if (!loops) return fail(loops.error());
    const auto graph = BlockGraph::read(without_udev(), *loops);
    if (!graph) return fail(graph.error());
    const KernelTables tables = read_kernel_tables(processes_in_other_namespaces());
    return Usage(*graph, tables, *loops).refusals_of(file, name, own);
}

std::string mount_source_on(dev_t device) {
    BoundedCalls calls;
    for (const MountTable& table : read_kernel_tables(processes_in_other_namespaces()).mounts) {
        for (const MountEntry& entry : table.entries) {
            if (entry.file_system != "erofs" || entry.number.major != 0) continue;
            struct stat status {};
            const bool there = calls.stat(entry.source, status) == 0;
            // Paths from another mount namespace do not resolve in this one.
            if (there ? S_ISREG(status.st_mode) && status.st_dev == device : table.whose.empty())
                return typeable(entry.mount_point) + table.whose;
        }
    }
    return {};
}

std::string describe_users(const std::vector<FileIdentity>& file, const std::string& name, const OwnDevices& own) {
    constexpr std::chrono::milliseconds patience{200};
    ProcessSearch search(patience);
    std::string line;
    const auto add = [&](const std::string& text) {
        if (!text.empty()) line += (line.empty() ? "" : "; ") + text;
    };
    for (const FileIdentity identity : file) {
        const auto uses = kernel_uses_of(identity, name, own);
        if (!uses) continue;
        for (const Refusal& use : *uses) {
            if (use.kind != RefusalKind::unknown_state) add(use.detail);
        }
    }
    if (const std::string who = open_by({.identities = file, .also_as = {}}, ::getpid(), search); !who.empty())
        add("it is open in " + who);
    // Mappings outlive the descriptor; they take longest to find, so they come last.
    if (line.empty()) {
        if (const std::string who = mapped_by({.identities = file, .also_as = {}}, search); !who.empty())
            add("it is mapped by " + who);
    }
    if (!line.empty()) return line;
    return search.is_over()
               ? "there are too many processes to examine each: see lsof"
               : "by no other visible process: perhaps by this one, a mount in another namespace, or the kernel";
}

} // namespace mediarig::media
