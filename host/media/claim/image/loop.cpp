// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/image/loop.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <sstream>
#include <thread>
#include <utility>

#include "host/media/claim/image/foreign_structure.hpp"
#include "host/media/claim/image/image_file.hpp"
#include "host/media/claim/linux/kernel/block_graph.hpp"
#include "host/media/claim/linux/kernel/node_lock.hpp"
#include "host/media/claim/linux/kernel/node_users.hpp"
#include "host/media/claim/linux/kernel/sysfs.hpp"

namespace mediarig::media {
namespace {

Error with_errno(const std::string& what, int error) {
    const bool denied = error == EACCES || error == EPERM;
    return {denied ? Errc::no_permission : Errc::io_failed,
            fmt::format("{}: {}{}", what, std::strerror(error),
                        denied ? "; a loop device needs root: run 'sudo -v' first, or start mediarig as root" : "")};
}

/// Kernel documentation, block/stat.rst: the seventh value counts written sectors.
std::optional<std::uint64_t> sectors_written(int device) {
    struct stat status {};
    if (::fstat(device, &status) != 0) return std::nullopt;
    std::istringstream values(
        text_attribute(fmt::format("/sys/dev/block/{}:{}/stat", major(status.st_rdev), minor(status.st_rdev))));
    std::uint64_t value = 0;
    for (int column = 0; column < 7; ++column)
        if (!(values >> value)) return std::nullopt;
    return value;
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

/// Predicts the facts that the kernel will report for this window.
Result<LoopWindowFacts> window_onto(int file, const LoopWindow& window) {
    struct stat status {};
    if (::fstat(file, &status) != 0) return fail(with_errno("cannot examine the file to attach", errno));
    const bool device = S_ISBLK(status.st_mode);
    return LoopWindowFacts{.backing_device = device ? status.st_rdev : status.st_dev,
                           .backing_inode = device ? 0 : status.st_ino,
                           .offset = window.offset,
                           .limit = window.length};
}

/// Identifies this attachment by "offset\nbacking file", to distinguish it from a later attachment by another program
/// on the same device.
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
    // Autoclear alone does not detach the device if a child process inherited the descriptor.
    if (fd_) ::ioctl(fd_.get(), LOOP_CLR_FD);
}

Result<void> LoopAttachment::detach() {
    using namespace std::chrono_literals;
    if (fd_) {
        // A program that attaches a file to a recently free device claims the device for a moment.
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
    // udev opens the device for some milliseconds after every change. The kernel appends " (deleted)" to the path of a
    // removed file.
    for (const auto deadline = std::chrono::steady_clock::now() + 2s;
         !window_.empty() && window_of(node_).starts_with(window_);) {
        if (std::chrono::steady_clock::now() > deadline)
            return fail(
                Errc::io_failed,
                fmt::format("{} is still open in another process and detaches when that process closes it", node_));
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
    // Another program may take the free device between LOOP_CTL_GET_FREE and the configuration, or hold it without
    // attaching a file. In the second case the kernel keeps offering the same device, so create a new one.
    constexpr int attempts = 24, attempts_at_offered = 8;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const int number = attempt < attempts_at_offered ? ::ioctl(control.get(), LOOP_CTL_GET_FREE)
                                                         : ::ioctl(control.get(), LOOP_CTL_ADD, -1);
        if (number < 0) return fail(with_errno("no free loop device", errno));
        const std::string node = fmt::format("/dev/loop{}", number);
        Descriptor loop(::open(node.c_str(), O_RDWR | O_CLOEXEC));
        if (!loop) return fail(with_errno(node + " cannot be opened", errno));

        bool attached = configure(loop.get(), file, name, window, LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO);
        // EINVAL: this kernel refuses direct I/O on this file system instead of ignoring the flag.
        if (!attached && errno == EINVAL) attached = configure(loop.get(), file, name, window, LO_FLAGS_AUTOCLEAR);
        if (attached) {
            // The previous user may have left the device write-protected (blockdev --setro), which survives detaching.
            const int off = 0;
            ::ioctl(loop.get(), BLKROSET, &off);
            const bool direct = direct_io_of(loop.get());
            return LoopAttachment(node, std::move(loop), *shows, direct);
        }
        if (errno != EBUSY) return fail(with_errno(fmt::format("{} cannot be attached to {}", name, node), errno));
    }
    return fail(Errc::io_failed, "every free loop device was taken by other programs: try again");
}

namespace {

/// Separates image errors that are invalid requests from refusals for safety.
Result<void> check_image(const Medium& image) {
    if (image.refusals.empty()) return {};
    const Refusal& first = image.refusals.front();
    const bool names_it = first.detail.starts_with(image.node + ' ');
    return fail(first.kind == RefusalKind::too_small ? Errc::bad_request : Errc::refused,
                names_it ? first.detail : fmt::format("{} cannot be attached: {}", image.node, first.detail));
}

} // namespace

Result<LoopDevice> attach_loop(const std::string& image, const process::Caller& caller, Use use) {
    // Check before opening for writing: another claim would interpret the close of that descriptor as a write, and
    // discard its test results.
    const auto found = process::find_as(caller, image);
    if (!found) return fail(found.error());
    const auto described = describe_image(*found, caller);
    if (!described) return fail(described.error());
    if (auto fit = check_image(*described); !fit) return fail(fit.error());
    auto file = process::reopen_as(caller, *found, O_RDWR);
    if (!file) return fail(file.error());
    if (auto raw = check_raw(file->descriptor.get(), described->node); !raw) return fail(raw.error());
    auto held = ImageLock::take(*file, caller, use);
    if (!held) return fail(held.error());
    auto attachment = attach_to_free_loop(file->descriptor.get(), described->node, {});
    if (!attachment) return fail(std::move(attachment.error()));
    return LoopDevice(std::move(file->descriptor), std::move(*held), std::move(*attachment), described->node,
                      described->size);
}

Result<LoopDevice> attach_sibling_loop(const Medium& loop, const process::Caller& caller) {
    Descriptor named(::open(loop.node.c_str(), O_RDONLY | O_EXCL | O_NOFOLLOW | O_CLOEXEC));
    if (!named) {
        const int why = errno;
        const bool forbidden = why == EACCES || why == EPERM;
        return fail(forbidden      ? Errc::no_permission
                    : why == EBUSY ? Errc::refused
                                   : Errc::io_failed,
                    fmt::format("{} cannot be held: {}{}", loop.node, std::strerror(why),
                                forbidden ? "; run 'sudo -v' first, or start mediarig as root" : ""));
    }
    if (auto locked = lock_node(named.get(), loop.node); !locked) return fail(locked.error());
    const auto facts = facts_of(named.get(), loop.node);
    if (!facts) return fail(facts.error());
    if (facts->number != loop.number || facts->disk_sequence != loop.disk_sequence || !facts->loop)
        return fail(Errc::refused, loop.node + " is another device now: try again");
    if (auto alone = check_no_writer(loop.number, Use::must_be_known); !alone) return fail(alone.error());
    auto file = process::open_as(caller, loop.backing_file, S_IFREG, O_RDWR);
    if (!file)
        return fail(file.error().code == Errc::no_permission ? Errc::no_permission : Errc::refused,
                    fmt::format("the backing file of {} cannot be opened: {}; name the image file instead", loop.node,
                                file.error().detail));
    if (file->status.st_dev != facts->loop->backing_device || file->status.st_ino != facts->loop->backing_inode)
        return fail(Errc::refused, fmt::format("{} is not the backing file of {}: name the image file instead",
                                               loop.backing_file, loop.node));
    if (static_cast<std::uint64_t>(file->status.st_size) < (facts->loop->offset + facts->size).count)
        return fail(Errc::refused,
                    fmt::format("{} is shorter than the range that {} maps: detach and attach the loop device again",
                                loop.backing_file, loop.node));
    if (auto raw = check_raw_part(file->descriptor.get(), file->path, facts->loop->offset, facts->size); !raw)
        return fail(raw.error());
    auto held = ImageLock::take_below_loop(*file);
    if (!held) return fail(held.error());
    // Drop the cache of the named loop device: its dirty pages must not overwrite later writes through the new loop
    // device.
    if (auto dropped = drop_cached(named.get()); !dropped)
        return fail(Errc::io_failed, fmt::format("{}: {}", loop.node, dropped.error().detail));
    // Use the identified size: the file below a loop device without a size limit may have grown since.
    const LoopWindow window{.offset = facts->loop->offset, .length = facts->size, .block_size = loop.logical_sector};
    auto attachment = attach_to_free_loop(file->descriptor.get(), loop.backing_file, window);
    if (!attachment) return fail(std::move(attachment.error()));
    LoopDevice device(std::move(file->descriptor), std::move(*held), std::move(*attachment), file->path,
                      facts->loop->offset + facts->size);
    device.named_writes_ = sectors_written(named.get());
    device.named_ = std::move(named);
    device.own_ = {loop.number};
    return device;
}

Result<void> LoopDevice::check_unused() const {
    if (!hold_) return {};
    OwnDevices own = own_;
    if (const auto ours = number_of_node(node())) own.push_back(*ours);
    return hold_->recheck(own);
}

std::optional<Error> LoopDevice::backing_fault() const {
    if (auto backing_fault = backing_file_fault(file_.get(), end_, image_)) return backing_fault;
    if (named_ && sectors_written(named_.get()) != named_writes_)
        return Error{Errc::host_fault,
                     fmt::format("another program wrote to {} through its loop device during the test: the results are "
                                 "discarded; end that program, then try again",
                                 image_)};
    if (const char* what = watch_.seen())
        return Error{
            Errc::host_fault,
            fmt::format(
                "another process {} {} during the test: the results are discarded; end that process, then try again",
                what, image_)};
    // The results are recorded under the path of the image, so the path must still name the tested file.
    struct stat open {
    }, named{};
    const bool here = ::lstat(image_.c_str(), &named) == 0;
    if (here ? ::fstat(file_.get(), &open) == 0 && (open.st_dev != named.st_dev || open.st_ino != named.st_ino)
             : errno == ENOENT)
        return Error{
            Errc::host_fault,
            fmt::format("{} was removed, renamed or replaced during the test: the results are discarded; try again",
                        image_)};
    auto unused = check_unused();
    if (unused) return std::nullopt;
    return Error{Errc::host_fault, "the results are discarded: " + unused.error().detail};
}

bool LoopDevice::bypasses_host_cache() const {
    // f_type (statfs(2)) of disk file systems on which direct I/O left no page in the cache, by observation.
    constexpr std::array<unsigned long, 4> trusted{EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC,
                                                   F2FS_SUPER_MAGIC};
    struct statfs file_system {};
    if (!direct_io() || ::fstatfs(file_.get(), &file_system) != 0) return false;
    return std::ranges::find(trusted, static_cast<unsigned long>(file_system.f_type)) != trusted.end();
}

Result<void> LoopDevice::detach() {
    if (auto detached = attachment_.detach(); !detached) return detached;
    hold_.reset();
    file_.close();
    if (named_) (void)drop_cached(named_.get()); // the cache of that device has the old contents
    named_.close();
    return {};
}

} // namespace mediarig::media
