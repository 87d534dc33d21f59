// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/partition/linux/medium_view.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "host/media/claim/linux/kernel/node_lock.hpp"
#include "host/media/claim/linux/kernel/sysfs.hpp"
#include "host/media/format/partition/linux/kernel_partition.hpp"

namespace mediarig::media {
namespace {

// udev opens partitions for a moment after every change of their disk, so EBUSY must be retried.
constexpr int most_tries = 200;
constexpr int pause_ms = 10;

std::string named(const Medium& medium, Bytes start, Bytes length) {
    return fmt::format("the partition of {} bytes at byte {} of {}", length.count, start.count, medium.node);
}

Result<void> check_span(const Medium& medium, Bytes start, Bytes length) {
    const Bytes sector{medium.logical_sector};
    if (length == 0_B || start % sector != 0_B || length % sector != 0_B)
        return fail(Errc::bad_request, fmt::format("{} does not consist of whole sectors of {} bytes",
                                                   named(medium, start, length), sector.count));
    if (start > medium.size || length > medium.size - start)
        return fail(Errc::bad_request, fmt::format("{} reaches beyond the end of the medium, which has {} bytes",
                                                   named(medium, start, length), medium.size.count));
    return {};
}

/// Fails if another user has mounted or claimed the partition. Retries, because a child process of mediarig may hold an
/// inherited descriptor for a moment. Closes the device again: the mount will hold it.
Result<void> check_unheld(int descriptor, const std::string& what) {
    const std::string path = fmt::format("/proc/self/fd/{}", descriptor);
    for (int tries = 0;; ++tries) {
        if (Descriptor(::open(path.c_str(), O_RDONLY | O_EXCL | O_CLOEXEC))) return {};
        if (errno != EBUSY)
            return fail(Errc::io_failed,
                        fmt::format("{} cannot be opened exclusively: {}", what, std::strerror(errno)));
        if (tries == most_tries)
            return fail(Errc::refused,
                        fmt::format("{} is held by another program: unmount it, or close its users", what));
        ::poll(nullptr, 0, pause_ms);
    }
}

/// Returns true if the kernel read the table again. A device without partition support (for example a plain loop
/// device) fails with EINVAL, and so does every device of a kernel without partition support.
bool read_table_again(int descriptor) {
    for (int tries = 0; tries < most_tries; ++tries) {
        if (::ioctl(descriptor, BLKRRPART, 0) == 0) return true;
        if (errno != EBUSY) return false;
        ::poll(nullptr, 0, pause_ms);
    }
    return false;
}

} // namespace

class ViewOpener {
public:
    ViewOpener(const ErasableMedium& medium, Bytes start, Bytes length, const ViewAccess& access)
        : claim_(medium), medium_(medium.medium()), start_(start), length_(length), access_(access) {}

    Result<MediumView> by_loop() const {
        if (auto possible = check(); !possible) return fail(possible.error());
        const LoopWindow window{.offset = start_, .length = length_, .block_size = medium_.logical_sector};
        auto loop = attach_to_free_loop(claim_.descriptor(), medium_.node, window, access_.loop_control);
        if (!loop)
            return fail(loop.error().code, fmt::format("{}: {}", named(medium_, start_, length_), loop.error().detail));
        MediumView view(loop->node(), start_, length_);
        view.loop_.emplace(std::move(*loop));
        const auto facts = facts_of(view.descriptor(), view.node_);
        if (!facts) return fail(facts.error());
        if (facts->size != length_)
            return fail(Errc::io_failed, fmt::format("{} shows {} bytes of {}", view.node_, facts->size.count,
                                                     named(medium_, start_, length_)));
        return view;
    }

    /// The kernel's partition; empty if the kernel has no such partition.
    Result<std::optional<KernelPartition>> find_partition() const {
        if (auto possible = check(); !possible) return fail(possible.error());
        auto found = look_up();
        if (found && !*found && read_table_again(claim_.descriptor())) found = look_up();
        return found;
    }

    /// Path of the node; empty if a container shows the disk but not its partitions.
    Result<std::optional<MediumView>> by_kernel(const KernelPartition& partition) const {
        MediumView view(access_.device_folder + "/" + path_of(partition.name), start_, length_);
        view.own_ = Descriptor(::open(view.node_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
        if (!view.own_ && errno == ENOENT) return std::optional<MediumView>();
        if (!view.own_)
            return fail(errno == EACCES || errno == EPERM ? Errc::no_permission : Errc::io_failed,
                        fmt::format("{} cannot be opened for writing: {}", view.node_, std::strerror(errno)));
        const auto facts = facts_of(view.own_.get(), view.node_);
        if (!facts) return fail(facts.error());
        // The kernel gives a partition the disk sequence of its disk. An open partition keeps its position.
        if (facts->number != partition.number || facts->disk_sequence != medium_.disk_sequence ||
            facts->size != length_)
            return fail(Errc::refused, fmt::format("{} is not {}: its name was given to another device", view.node_,
                                                   named(medium_, start_, length_)));
        const auto still = look_up();
        if (!still) return fail(still.error());
        if (!*still || **still != partition)
            return fail(Errc::refused,
                        fmt::format("{} moved while it was opened: claim {} again", view.node_, medium_.node));
        // The kernel caches disk and partition separately; data written through one device must be visible through the
        // other.
        for (const int cached : {claim_.reading_descriptor(), view.own_.get()})
            if (auto dropped = drop_cached(cached); !dropped) return fail(dropped.error());
        return std::optional(std::move(view));
    }

private:
    Result<void> check() const {
        if (auto fits = check_span(medium_, start_, length_); !fits) return fits;
        if (claim_.descriptor() < 0)
            return fail(Errc::no_medium, medium_.node + " is not held any more: claim it again");
        return claim_.check_same();
    }

    /// Looks up by device number: no other device can get the number of an open device.
    Result<std::optional<KernelPartition>> look_up() const {
        return kernel_partition(
            fmt::format("{}/dev/block/{}:{}", access_.sysfs, medium_.number.major, medium_.number.minor), start_,
            length_);
    }

    /// sysfs replaces '/' by '!': "cciss!c0d0p1".
    static std::string path_of(std::string name) {
        std::replace(name.begin(), name.end(), '!', '/');
        return name;
    }

    const ErasableMedium& claim_;
    const Medium& medium_;
    Bytes start_, length_;
    const ViewAccess& access_;
};

Result<void> MediumView::detach() {
    own_.close();
    return loop_ ? loop_->detach() : Result<void>{};
}

Result<MediumView> open_view(const ErasableMedium& medium, Bytes start, Bytes length, const ViewAccess& access) {
    return ViewOpener(medium, start, length, access).by_loop();
}

Result<MediumView> open_partition_to_mount(const ErasableMedium& medium, Bytes start, Bytes length,
                                           const ViewAccess& access) {
    const ViewOpener opener(medium, start, length, access);
    const auto partition = opener.find_partition();
    if (!partition) return fail(partition.error());
    if (!*partition) return opener.by_loop();
    auto view = opener.by_kernel(**partition);
    if (!view) return fail(view.error());
    if (*view) return std::move(**view);
    return opener.by_loop();
}

Result<void> release_for_mount(ErasableMedium& medium, const MediumView* view) {
    if (view != nullptr && view->through_loop()) return {};
    if (auto let = medium.release(); !let) return let;
    return view != nullptr ? check_unheld(view->descriptor(), view->node())
                           : check_unheld(medium.reading_descriptor(), medium.medium().node);
}

Result<void> check_view(const ErasableMedium& medium, Bytes start, Bytes length, const ViewAccess& access) {
    auto view = open_view(medium, start, length, access);
    return view ? view->detach() : fail(view.error());
}

} // namespace mediarig::media
