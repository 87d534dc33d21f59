// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/partition/partition_view.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "host/media/inspect/medium_reader.hpp"
#include "host/media/linux/node_facts.hpp"
#include "host/media/linux/sysfs.hpp"
#include "host/media/partition/kernel_partition.hpp"

namespace mediarig::media {
namespace {

// udev looks into partitions for a moment whenever something about their disk changed: EBUSY alone proves nothing.
constexpr int most_tries = 40;
constexpr int pause_ms = 50;

std::string named(const Medium& medium, Bytes start, Bytes length) {
    return fmt::format("the partition of {} bytes at byte {} of {}", length.count, start.count, medium.node);
}

Result<void> check_span(const Medium& medium, Bytes start, Bytes length) {
    const Bytes sector{medium.logical_sector};
    if (length == 0_B || start % sector != 0_B || length % sector != 0_B)
        return fail(Errc::bad_request,
                    fmt::format("{} is not whole sectors of {} bytes", named(medium, start, length), sector.count));
    if (start > medium.size || length > medium.size - start)
        return fail(Errc::bad_request, fmt::format("{} reaches beyond its end: it has {} bytes",
                                                   named(medium, start, length), medium.size.count));
    return {};
}

/// The held device, by its descriptor: a name could have been given to another one.
Result<void> check_held(const Medium& medium, int descriptor) {
    const auto facts = facts_of(descriptor, medium.node);
    if (!facts) return fail(facts.error());
    if (facts->number != medium.number || facts->disk_sequence != medium.disk_sequence || facts->size != medium.size)
        return fail(Errc::refused, fmt::format("{} is another device now: claim it again", medium.node));
    return {};
}

/// A momentary exclusive open of what the descriptor stands for; whoever has it mounted or claimed is in the way.
Result<Descriptor> hold(int descriptor, const std::string& what) {
    const std::string path = fmt::format("/proc/self/fd/{}", descriptor);
    for (int tries = 0;; ++tries) {
        Descriptor exclusive(::open(path.c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
        if (exclusive) return exclusive;
        if (errno != EBUSY)
            return fail(Errc::io_failed,
                        fmt::format("{} cannot be opened exclusively: {}", what, std::strerror(errno)));
        if (tries == most_tries)
            return fail(Errc::refused,
                        fmt::format("{} is held by somebody else: unmount it, or close what uses it", what));
        ::poll(nullptr, 0, pause_ms);
    }
}

/// True where the kernel read the table again. A device that cannot have partitions (a plain loop device, say) answers
/// EINVAL, as does every one of a kernel without partition support.
bool read_table_again(int descriptor) {
    for (int tries = 0; tries < most_tries; ++tries) {
        if (::ioctl(descriptor, BLKRRPART, 0) == 0) return true;
        if (errno != EBUSY) return false;
        ::poll(nullptr, 0, pause_ms);
    }
    return false;
}

} // namespace

class PartitionOpener {
public:
    PartitionOpener(const ErasableMedium& medium, Bytes start, Bytes length, const PartitionAccess& access)
        : claim_(medium), medium_(medium.medium()), start_(start), length_(length), access_(access) {}

    Result<PartitionView> open() const {
        if (auto fits = check_span(medium_, start_, length_); !fits) return fail(fits.error());
        if (claim_.descriptor() < 0)
            return fail(Errc::no_medium, medium_.node + " is not held any more: claim it again");
        if (auto same = check_held(medium_, claim_.descriptor()); !same) return fail(same.error());
        auto found = look_up();
        if (!found) return fail(found.error());
        if (!*found && read_table_again(claim_.descriptor())) {
            found = look_up();
            if (!found) return fail(found.error());
        }
        return *found ? by_kernel(**found) : by_loop();
    }

    /// Before the table exists.
    Result<void> rehearse() const {
        if (auto fits = check_span(medium_, start_, length_); !fits) return fits;
        if (claim_.descriptor() < 0)
            return fail(Errc::no_medium, medium_.node + " is not held any more: claim it again");
        const bool has_partitions = ::ioctl(claim_.descriptor(), BLKRRPART, 0) == 0 || errno != EINVAL;
        const auto mounts = read_file_if_there(access_.mountinfo);
        if (!mounts) return fail(mounts.error());
        if (has_partitions && kernel_makes_nodes(mounts->value_or(""), access_.device_folder)) return {};
        auto view = by_loop();
        return view ? view->give_back() : fail(view.error());
    }

private:
    /// By number: that of a device which is held open is nobody else's.
    Result<std::optional<KernelPartition>> look_up() const {
        return kernel_partition(
            fmt::format("{}/dev/block/{}:{}", access_.sysfs, medium_.number.major, medium_.number.minor), start_,
            length_);
    }

    Result<PartitionView> by_kernel(const KernelPartition& partition) const {
        PartitionView view(access_.device_folder + "/" + path_of(partition.name), start_, length_);
        view.own_ = Descriptor(::open(view.node_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
        // A container may show the disk and not its partitions.
        if (!view.own_ && errno == ENOENT) return by_loop();
        if (!view.own_)
            return fail(errno == EACCES || errno == EPERM ? Errc::no_permission : Errc::io_failed,
                        fmt::format("{} cannot be opened for writing: {}", view.node_, std::strerror(errno)));
        const auto facts = facts_of(view.own_.get(), view.node_);
        if (!facts) return fail(facts.error());
        // The kernel gives a partition the sequence of its disk. While it is open it keeps its place.
        if (facts->number != partition.number || facts->disk_sequence != medium_.disk_sequence ||
            facts->size != length_)
            return fail(Errc::refused, fmt::format("{} is not {}: its name was given to another device", view.node_,
                                                   named(medium_, start_, length_)));
        const auto still = look_up();
        if (!still) return fail(still.error());
        if (!*still || **still != partition)
            return fail(Errc::refused,
                        fmt::format("{} moved while it was opened: claim {} again", view.node_, medium_.node));
        if (auto held = hold(view.own_.get(), view.node_); !held) return fail(held.error());
        // The kernel caches disk and partition apart: what was written through one is to be seen through the other.
        for (const int cached : {claim_.descriptor(), view.own_.get()})
            if (auto dropped = drop_cached(cached); !dropped) return fail(dropped.error());
        return view;
    }

    Result<PartitionView> by_loop() const {
        // A loop device does not hold what is below it, so that anybody could mount or format it beside us.
        auto held = hold(claim_.descriptor(), medium_.node);
        if (!held) return fail(held.error());
        const LoopWindow window{.offset = start_, .length = length_, .block_size = medium_.logical_sector};
        auto loop = attach_to_free_loop(claim_.descriptor(), medium_.node, window, access_.loop_control);
        if (!loop)
            return fail(loop.error().code, fmt::format("{}: {}", named(medium_, start_, length_), loop.error().detail));
        PartitionView view(loop->node(), start_, length_);
        view.hold_ = std::move(*held);
        view.loop_.emplace(std::move(*loop));
        const auto facts = facts_of(view.descriptor(), view.node_);
        if (!facts) return fail(facts.error());
        if (facts->size != length_)
            return fail(Errc::io_failed, fmt::format("{} shows {} bytes of {}", view.node_, facts->size.count,
                                                     named(medium_, start_, length_)));
        return view;
    }

    /// sysfs writes '!' for '/': "cciss!c0d0p1".
    static std::string path_of(std::string name) {
        std::replace(name.begin(), name.end(), '!', '/');
        return name;
    }

    const ErasableMedium& claim_;
    const Medium& medium_;
    Bytes start_, length_;
    const PartitionAccess& access_;
};

Result<void> PartitionView::give_back() {
    own_.close();
    if (loop_)
        if (auto detached = loop_->detach(); !detached) return detached;
    hold_.close();
    return {};
}

Result<PartitionView> open_partition(const ErasableMedium& medium, Bytes start, Bytes length,
                                     const PartitionAccess& access) {
    return PartitionOpener(medium, start, length, access).open();
}

Result<void> rehearse_partition(const ErasableMedium& medium, Bytes start, Bytes length,
                                const PartitionAccess& access) {
    return PartitionOpener(medium, start, length, access).rehearse();
}

} // namespace mediarig::media
