// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/blkid_probe.hpp"

#include <blkid/blkid.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "host/media/claim/linux/kernel/bounded_calls.hpp"
#include "host/media/claim/linux/readable_copy.hpp"
#include "host/media/identity/medium.hpp"
#include "host/media/inspect/listed_spans.hpp"
#include "host/media/inspect/signature.hpp"
#include "host/media/inspect/stale_signatures.hpp"

namespace mediarig::media {
namespace {

using namespace std::string_literals;

struct FreeProbe {
    void operator()(blkid_struct_probe* probe) const { blkid_free_probe(probe); }
};
using Probe = std::unique_ptr<blkid_struct_probe, FreeProbe>;

std::string value_of(blkid_probe probe, const char* name) {
    const char* text = nullptr;
    std::size_t length = 0;
    if (blkid_probe_lookup_value(probe, name, &text, &length) != 0 || text == nullptr) return {};
    return typeable({text, length});
}

/// Reads the number of devices of the volume from the btrfs superblock. Source: btrfs on-disk format, superblock at 64
/// KiB, num_devices at byte 0x88, little-endian.
std::uint64_t btrfs_devices(int descriptor, Bytes start) {
    constexpr std::uint64_t at = (64u << 10) + 0x88;
    std::array<unsigned char, 8> raw{};
    if (::pread(descriptor, raw.data(), raw.size(), static_cast<off_t>(start.count + at)) != ssize_t{8}) return 0;
    std::uint64_t count = 0;
    for (std::size_t i = raw.size(); i-- > 0;) count = count << 8 | raw[i];
    return count;
}

/// Tables of a medium need some hundred kilobytes; a chain of records has a limit.
constexpr Bytes most_read_of_tables = 16_MiB;

class Scan {
public:
    explicit Scan(int descriptor) : descriptor_(descriptor) {}

    /// Searches a part of the device for signatures. Appends partitions found in this part to `extents`. Fails with
    /// io_failed.
    Result<void> part(DeviceExtent extent, std::vector<DeviceExtent>& extents) {
        const Probe probe(blkid_new_probe());
        if (!probe || blkid_probe_set_device(probe.get(), descriptor_, static_cast<blkid_loff_t>(extent.start.count),
                                             static_cast<blkid_loff_t>(extent.length.count)) != 0)
            return fail(Errc::io_failed, fmt::format("libblkid cannot probe byte {}", extent.start.count));
        blkid_probe_enable_superblocks(probe.get(), 1);
        blkid_probe_set_superblocks_flags(probe.get(), BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE | BLKID_SUBLKS_LABEL);
        blkid_probe_enable_partitions(probe.get(), 1);

        // Use one probe step for each signature, so that a stale signature after the current one is reported too.
        const std::size_t before = found_.size();
        int step = 0;
        while ((step = blkid_do_probe(probe.get())) == 0) {
            note_signature(probe.get(), extent.start);
            note_partitions(probe.get(), extent, extents);
        }
        if (step < 0)
            return fail(Errc::io_failed, fmt::format("reading signatures at byte {} failed", extent.start.count));
        if (found_.size() > before + 1 && !is_one_of_them(probe.get()))
            for (std::size_t i = before; i < found_.size(); ++i) found_[i].ambivalent = true;
        note_core_storage(extent, before);
        return {};
    }

    enum class Sought : std::uint8_t {
        all_kinds, ///< members of larger volumes and encrypted data
        at_start   ///< those of them that begin with their signature: some 12 KB for each range
    };

    /// Searches a range that no valid table lists. Returns false if it cannot be read.
    bool remains_in(DeviceExtent extent, Sought sought) {
        const Probe probe(blkid_new_probe());
        if (!probe || blkid_probe_set_device(probe.get(), descriptor_, static_cast<blkid_loff_t>(extent.start.count),
                                             static_cast<blkid_loff_t>(extent.length.count)) != 0)
            return true;
        blkid_probe_enable_superblocks(probe.get(), 1);
        blkid_probe_set_superblocks_flags(probe.get(), BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE | BLKID_SUBLKS_LABEL);
        if (sought == Sought::all_kinds) {
            blkid_probe_filter_superblocks_usage(probe.get(), BLKID_FLTR_ONLYIN,
                                                 BLKID_USAGE_RAID | BLKID_USAGE_CRYPTO | BLKID_USAGE_OTHER);
        } else {
            std::array names{"crypto_LUKS"s, "BitLocker"s,         "cs_fvault2"s,    "LVM2_member"s,
                             "LVM1_member"s, "linux_raid_member"s, "bcache"s,        "ceph_bluestore"s,
                             "stratis"s,     "DM_integrity"s,      "DM_verity_hash"s};
            std::array<char*, names.size() + 1> list{};
            std::ranges::transform(names, list.begin(), [](std::string& name) { return name.data(); });
            blkid_probe_filter_superblocks_type(probe.get(), BLKID_FLTR_ONLYIN, list.data());
        }
        const std::size_t before = found_.size();
        int step = 0;
        while ((step = blkid_do_probe(probe.get())) == 0) note_signature(probe.get(), extent.start);
        note_core_storage(extent, before);
        return step > 0;
    }

    /// Marks the signatures from `first` on.
    void mark_without_node(std::size_t first) {
        for (std::size_t i = first; i < found_.size(); ++i) found_[i].without_node = true;
    }
    [[nodiscard]] std::size_t count() const { return found_.size(); }
    std::vector<Signature> take() { return std::move(found_); }

private:
    /// True if libblkid decides which of several signatures is valid. If libblkid cannot decide, blkid_do_safeprobe(3)
    /// documents -2, but version 2.41 returns -1, as for an error.
    static bool is_one_of_them(blkid_probe probe) {
        blkid_reset_probe(probe);
        blkid_probe_enable_partitions(probe, 0);
        return blkid_do_safeprobe(probe) >= 0;
    }

    void note_signature(blkid_probe probe, Bytes start) {
        Signature signature;
        signature.type = value_of(probe, "TYPE");
        if (signature.type.empty()) return;
        signature.usage = value_of(probe, "USAGE");
        if (signature.usage.empty()) signature.usage = "unknown";
        signature.label = value_of(probe, "LABEL");
        signature.offset = start;
        if (signature.type == "btrfs") signature.devices = btrfs_devices(descriptor_, start);
        found_.push_back(std::move(signature));
    }

    /// libblkid before version 2.39 does not recognise Core Storage; later versions require a correct checksum.
    void note_core_storage(const DeviceExtent& extent, std::size_t before) {
        constexpr const char* type = "cs_fvault2";
        std::array<std::byte, 512> head{};
        if (::pread(descriptor_, head.data(), head.size(), static_cast<off_t>(extent.start.count)) !=
                static_cast<ssize_t>(head.size()) ||
            !is_core_storage(head))
            return;
        const auto known = std::find_if(found_.begin() + static_cast<std::ptrdiff_t>(before), found_.end(),
                                        [](const Signature& signature) { return signature.type == type; });
        if (known != found_.end()) return;
        Signature signature;
        signature.type = type;
        signature.usage = "crypto";
        signature.offset = extent.start;
        found_.push_back(std::move(signature));
    }

    static void note_partitions(blkid_probe probe, DeviceExtent whole, std::vector<DeviceExtent>& extents) {
        if (value_of(probe, "PTTYPE").empty()) return;
        blkid_partlist list = blkid_probe_get_partitions(probe);
        const int count = list == nullptr ? 0 : blkid_partlist_numof_partitions(list);
        for (int i = 0; i < count; ++i) {
            blkid_partition partition = blkid_partlist_get_partition(list, i);
            constexpr std::uint64_t unit = 512;
            const Bytes start{static_cast<std::uint64_t>(blkid_partition_get_start(partition)) * unit};
            const Bytes length{static_cast<std::uint64_t>(blkid_partition_get_size(partition)) * unit};
            // The table may have been made for a larger device; data after the end of this device cannot be read.
            if (blkid_partition_is_extended(partition) != 0 || start >= whole.length) continue;
            extents.push_back({start, std::min(length, whole.length - start)});
        }
    }

    int descriptor_;
    std::vector<Signature> found_;
};

struct Scanned {
    std::vector<Signature> found, remains;
};

/// Two tables may list one partition with two lengths.
std::vector<Signature> without_repetitions(std::vector<Signature> all) {
    std::vector<Signature> kept;
    for (Signature& one : all)
        if (std::ranges::none_of(
                kept, [&](const Signature& each) { return each.offset == one.offset && each.type == one.type; }))
            kept.push_back(std::move(one));
    return kept;
}

/// The first signature of each type that is not among the known ones: the ranges overlap, and a signature at the end of
/// the medium is in all of them.
std::vector<Signature> one_of_each_type(std::vector<Signature> remains, const std::vector<Signature>& known) {
    std::vector<Signature> kept;
    for (Signature& one : remains) {
        const auto same = [&](const Signature& each) { return each.type == one.type; };
        if (std::ranges::none_of(kept, same) && std::ranges::none_of(known, same)) kept.push_back(std::move(one));
    }
    return kept;
}

/// Searches the places that no valid table lists.
std::vector<Signature> scan_remains(int descriptor, Bytes size, const std::vector<VolumeSpan>& possible) {
    // A failing card may need seconds for each range.
    constexpr int most_failures = 3;
    Scan scan(descriptor);
    int failures = 0;
    const auto search = [&](DeviceExtent extent, Scan::Sought sought) {
        if (failures < most_failures && !scan.remains_in(extent, sought)) ++failures;
    };
    for (const VolumeSpan& span : possible) search({span.start, span.length}, Scan::Sought::all_kinds);
    for (const Bytes start : usual_volume_starts())
        if (start > 0_B && start < size) search({start, size - start}, Scan::Sought::at_start);
    return scan.take();
}

/// Scans the whole device, its partitions, and with `depth` the places that no valid table lists. Calls `before_each`
/// before it reads a partition, for example to load it.
template <class BeforeEach>
Result<Scanned> scan_parts(int descriptor, Bytes size, SearchDepth depth, BeforeEach before_each) {
    Scan scan(descriptor);
    std::vector<DeviceExtent> partitions, nested;
    if (auto ready = before_each(DeviceExtent{0_B, size}); !ready) return fail(ready.error());
    if (auto whole = scan.part({0_B, size}, partitions); !whole) return fail(whole.error());
    const auto search = [&](const DeviceExtent& partition) -> Result<void> {
        if (partition.length == 0_B) return {};
        if (auto ready = before_each(partition); !ready) return ready;
        return scan.part(partition, nested);
    };
    for (const DeviceExtent& partition : partitions)
        if (auto searched = search(partition); !searched) return fail(searched.error());

    MediumReader reader(descriptor, size);
    constexpr std::size_t most_failures = 3;
    reader.limit_to(most_read_of_tables);
    reader.limit_failures_to(most_failures);
    const ListedSpans listed = spans_of_all_tables(reader);
    const std::size_t with_node = scan.count();
    for (const VolumeSpan& span : listed.declared)
        if (const DeviceExtent extent{span.start, span.length};
            std::ranges::find(partitions, extent) == partitions.end())
            if (auto searched = search(extent); !searched) return fail(searched.error());
    scan.mark_without_node(with_node);

    Scanned scanned{.found = without_repetitions(scan.take()), .remains = {}};
    if (depth == SearchDepth::with_remains)
        scanned.remains = one_of_each_type(scan_remains(descriptor, size, listed.possible), scanned.found);
    return scanned;
}

} // namespace

Result<SignatureScan> probe_signatures(int descriptor, Bytes size, SearchDepth depth) {
    auto direct = scan_parts(descriptor, size, depth, [](const DeviceExtent&) { return Result<void>(); });
    if (direct)
        return SignatureScan{
            .found = std::move(direct->found), .unreadable = {}, .remains = std::move(direct->remains)};

    auto copy = ReadableCopy::of(descriptor, size);
    if (!copy) return fail(copy.error());
    auto found =
        scan_parts(copy->descriptor(), size, depth, [&](const DeviceExtent& part) { return copy->take_ends_of(part); });
    if (!found) return fail(found.error());
    SignatureScan scan{
        .found = std::move(found->found), .unreadable = copy->unreadable(), .remains = std::move(found->remains)};
    // The failure has another cause, or is outside the copied ranges: the result is unknown.
    if (scan.unreadable.empty()) return fail(direct.error());
    return scan;
}

Result<std::vector<Signature>> read_signatures_of(const std::string& node) {
    // The server of the file below a loop device may be stopped. Other disks end a read with an error.
    if (node.starts_with("/dev/loop"))
        if (auto responds = check_device_responds(node); !responds) return fail(responds.error());
    const int fd = ::open(node.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail(errno == EACCES ? Errc::no_permission : Errc::no_medium,
                    node + " cannot be read: " + std::strerror(errno));
    Bytes size;
    Result<std::vector<Signature>> found = fail(Errc::no_medium, node + " does not report its size");
    if (::ioctl(fd, BLKGETSIZE64, &size.count) == 0) {
        // The claim decides about unreadable ranges.
        auto scan = probe_signatures(fd, size, SearchDepth::listed);
        if (scan)
            found = std::move(scan->found);
        else
            found = fail(scan.error());
    }
    ::close(fd);
    return found;
}

} // namespace mediarig::media
