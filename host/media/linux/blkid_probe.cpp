// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/linux/blkid_probe.hpp"

#include <blkid/blkid.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>

#include "host/media/text.hpp"

namespace mediarig::media {
namespace {

struct FreeProbe {
    void operator()(blkid_struct_probe* probe) const { blkid_free_probe(probe); }
};
using Probe = std::unique_ptr<blkid_struct_probe, FreeProbe>;

struct Extent {
    Bytes start, length;
};

std::string value_of(blkid_probe probe, const char* name) {
    const char* text = nullptr;
    std::size_t length = 0;
    if (blkid_probe_lookup_value(probe, name, &text, &length) != 0 || text == nullptr) return {};
    return printable({text, length});
}

/// The superblock of btrfs counts the devices of its volume. Source: btrfs on-disk format, superblock at 64 KiB,
/// num_devices at byte 0x88, little-endian.
std::uint64_t btrfs_devices(int descriptor, Bytes start) {
    constexpr std::uint64_t at = (64u << 10) + 0x88;
    std::array<unsigned char, 8> raw{};
    if (::pread(descriptor, raw.data(), raw.size(), static_cast<off_t>(start.count + at)) != ssize_t{8}) return 0;
    std::uint64_t count = 0;
    for (std::size_t i = raw.size(); i-- > 0;) count = count << 8 | raw[i];
    return count;
}

class Scan {
public:
    explicit Scan(int descriptor) : descriptor_(descriptor) {}

    /// Fails with io_failed; partitions found in this part go to `extents`.
    Result<void> part(Extent extent, std::vector<Extent>& extents) {
        const Probe probe(blkid_new_probe());
        if (!probe || blkid_probe_set_device(probe.get(), descriptor_, static_cast<blkid_loff_t>(extent.start.count),
                                             static_cast<blkid_loff_t>(extent.length.count)) != 0)
            return fail(Errc::io_failed, fmt::format("libblkid cannot look at byte {}", extent.start.count));
        blkid_probe_enable_superblocks(probe.get(), 1);
        blkid_probe_set_superblocks_flags(probe.get(), BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE | BLKID_SUBLKS_LABEL);
        blkid_probe_enable_partitions(probe.get(), 1);

        // One step a signature: a stale one behind the current one is reported too.
        int step = 0;
        while ((step = blkid_do_probe(probe.get())) == 0) {
            note_signature(probe.get(), extent.start);
            note_partitions(probe.get(), extent, extents);
        }
        if (step < 0)
            return fail(Errc::io_failed, fmt::format("reading signatures at byte {} failed", extent.start.count));
        return {};
    }

    std::vector<Signature> take() { return std::move(found_); }

private:
    void note_signature(blkid_probe probe, Bytes start) {
        Signature signature;
        signature.type = value_of(probe, "TYPE");
        if (signature.type.empty()) return;
        signature.usage = value_of(probe, "USAGE");
        signature.label = value_of(probe, "LABEL");
        signature.offset = start;
        if (signature.type == "btrfs") signature.devices = btrfs_devices(descriptor_, start);
        found_.push_back(std::move(signature));
    }

    static void note_partitions(blkid_probe probe, Extent whole, std::vector<Extent>& extents) {
        if (value_of(probe, "PTTYPE").empty()) return;
        blkid_partlist list = blkid_probe_get_partitions(probe);
        const int count = list == nullptr ? 0 : blkid_partlist_numof_partitions(list);
        for (int i = 0; i < count; ++i) {
            blkid_partition partition = blkid_partlist_get_partition(list, i);
            constexpr std::uint64_t unit = 512;
            const Bytes start{static_cast<std::uint64_t>(blkid_partition_get_start(partition)) * unit};
            const Bytes length{static_cast<std::uint64_t>(blkid_partition_get_size(partition)) * unit};
            // A table may be made for a larger device; what lies beyond the end cannot be read.
            if (blkid_partition_is_extended(partition) != 0 || start >= whole.length) continue;
            extents.push_back({start, std::min(length, whole.length - start)});
        }
    }

    int descriptor_;
    std::vector<Signature> found_;
};

} // namespace

Result<std::vector<Signature>> probe_signatures(int descriptor, Bytes size) {
    Scan scan(descriptor);
    std::vector<Extent> partitions, nested;
    if (auto whole = scan.part({0_B, size}, partitions); !whole) return fail(whole.error());
    for (const Extent& partition : partitions) {
        if (partition.length == 0_B) continue;
        if (auto inner = scan.part(partition, nested); !inner) return fail(inner.error());
    }
    return scan.take();
}

} // namespace mediarig::media
