// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/image/loop.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "host/media/image/foreign_file.hpp"
#include "host/media/image/image_file.hpp"
#include "host/media/linux/kernel/drop_cached.hpp"
#include "host/media/linux/kernel/node_facts.hpp"
#include "host/media/linux/kernel/node_lock.hpp"
#include "host/media/linux/kernel/node_users.hpp"

namespace mediarig::media {
namespace {

/// Which refusals of an image are wrong words of the caller, and which are for safety.
Result<void> check_image(const Medium& image) {
    if (image.refusals.empty()) return {};
    const Refusal& first = image.refusals.front();
    const bool names_it = first.detail.starts_with(image.node + ' ');
    return fail(first.kind == RefusalKind::too_small ? Errc::bad_request : Errc::refused,
                names_it ? first.detail : fmt::format("{} cannot be attached: {}", image.node, first.detail));
}

} // namespace

Result<LoopDevice> attach_loop(const std::string& image, const process::Caller& caller, Use use) {
    // Opening it for writing would void the test of another claim, which takes whoever closes it for a writer.
    const auto found = process::find_as(caller, image);
    if (!found) return fail(found.error());
    const auto described = describe_image(*found, caller);
    if (!described) return fail(described.error());
    if (auto fit = check_image(*described); !fit) return fail(fit.error());
    auto file = process::reopen_as(caller, *found, O_RDWR);
    if (!file) return fail(file.error());
    if (auto raw = check_raw(file->descriptor.get(), described->node); !raw) return fail(raw.error());
    auto held = FileHold::take(*file, caller, use);
    if (!held) return fail(held.error());
    auto attachment = attach_to_free_loop(file->descriptor.get(), described->node, {});
    if (!attachment) return fail(std::move(attachment.error()));
    return LoopDevice(std::move(file->descriptor), std::move(*held), std::move(*attachment), described->node,
                      described->size);
}

Result<LoopDevice> attach_loop_beside(const Medium& loop, const process::Caller& caller) {
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
                    fmt::format("what {} stands on cannot be opened: {}; name the image file instead", loop.node,
                                file.error().detail));
    if (file->status.st_dev != facts->loop->backing_device || file->status.st_ino != facts->loop->backing_inode)
        return fail(Errc::refused, fmt::format("{} is not the file that {} stands on: name the image file instead",
                                               loop.backing_file, loop.node));
    if (static_cast<std::uint64_t>(file->status.st_size) < (facts->loop->offset + facts->size).count)
        return fail(Errc::refused, fmt::format("{} is shorter than what {} shows of it: detach and attach that again",
                                               loop.backing_file, loop.node));
    if (auto raw = check_raw_part(file->descriptor.get(), file->path, facts->loop->offset, facts->size); !raw)
        return fail(raw.error());
    auto held = FileHold::take_below_loop(*file);
    if (!held) return fail(held.error());
    // What its own cache holds of these bytes is not to come after what is written through ours.
    if (auto dropped = drop_cached(named.get()); !dropped)
        return fail(Errc::io_failed, fmt::format("{}: {}", loop.node, dropped.error().detail));
    // Of the size that was identified: the file may have grown behind a window without a limit.
    const LoopWindow window{.offset = facts->loop->offset, .length = facts->size, .block_size = loop.logical_sector};
    auto attachment = attach_to_free_loop(file->descriptor.get(), loop.backing_file, window);
    if (!attachment) return fail(std::move(attachment.error()));
    LoopDevice device(std::move(file->descriptor), std::move(*held), std::move(*attachment), file->path,
                      facts->loop->offset + facts->size);
    device.named_ = std::move(named);
    device.own_ = {loop.number};
    return device;
}

Result<void> LoopDevice::check_unused() const {
    return hold_ ? hold_->recheck() : Result<void>{};
}

std::optional<Error> LoopDevice::trouble() const {
    if (auto trouble = trouble_below(file_.get(), end_, image_)) return trouble;
    if (const char* what = watch_.seen())
        return Error{Errc::host_fault,
                     fmt::format("another process {} {} while it was tested: the results are discarded; end that "
                                 "process, then try again",
                                 what, image_)};
    // What is recorded is kept under its name.
    struct stat open {
    }, named{};
    const bool here = ::lstat(image_.c_str(), &named) == 0;
    if (here ? ::fstat(file_.get(), &open) == 0 && (open.st_dev != named.st_dev || open.st_ino != named.st_ino)
             : errno == ENOENT)
        return Error{Errc::host_fault,
                     fmt::format("{} was removed, renamed or replaced while it was tested: the results are discarded; "
                                 "try again",
                                 image_)};
    auto unused = check_unused();
    if (unused) return std::nullopt;
    return Error{Errc::host_fault, unused.error().detail + ": the results are discarded; try again"};
}

bool LoopDevice::bypasses_host_cache() const {
    // f_type of file systems on disks whose direct I/O was seen to leave no page behind; statfs(2).
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
    if (named_) (void)drop_cached(named_.get()); // it has cached what was there before
    named_.close();
    return {};
}

} // namespace mediarig::media
