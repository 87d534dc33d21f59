// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/conformance/profile_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <string_view>

#include "host/media/format/layouts/partition_types.hpp"

namespace mediarig::media {
namespace {

using Values = std::vector<RequiredValue>;

/// Sectors of exFAT's boot region and its backup, 12 each, before the first FAT. Source: exFAT file system
/// specification, section 3.
constexpr std::uint64_t exfat_boot_sectors = 24;

const std::string* find(const Values& volume, std::string_view name) {
    const auto found = std::ranges::find(volume, name, &RequiredValue::name);
    return found == volume.end() ? nullptr : &found->value;
}

/// Reads numbers of one volume; remembers the first value that is not a number.
class Numbers {
public:
    Numbers(const Profile& profile, const Values& volume) : profile_(profile), volume_(volume) {}

    std::optional<std::uint64_t> count(std::string_view name) {
        const std::string* const text = find(volume_, name);
        if (text == nullptr) return std::nullopt;
        std::uint64_t number = 0;
        const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), number);
        if (failed == std::errc() && end == text->data() + text->size()) return number;
        if (fault_.empty())
            fault_ = fmt::format("the profile '{}' has '{}' for {}, which is not a number", profile_.name, *text, name);
        return std::nullopt;
    }
    std::optional<Bytes> bytes(std::string_view name) {
        const auto number = count(name);
        return number ? std::optional(Bytes{*number}) : std::nullopt;
    }
    [[nodiscard]] const std::string& fault() const { return fault_; }

private:
    const Profile& profile_;
    const Values& volume_;
    std::string fault_;
};

bool is_efi_system(const Values& volume) {
    const std::string* const type = find(volume, "partition_type");
    return type != nullptr && *type == gpt_efi_system;
}

/// Largest boundary on the medium that results in the FAT and heap offsets of the profile; empty if no boundary does.
std::optional<Bytes> boundary_of(Bytes start, Bytes sector, Bytes fat, Bytes fat_length, Bytes heap) {
    const std::uint64_t both = (start + fat).count | (start + heap).count;
    if (both == 0) return std::nullopt;
    const Bytes boundary{std::uint64_t{1} << std::countr_zero(both)};
    const bool puts_fat = align_up(start + sector * exfat_boot_sectors, boundary) == start + fat;
    const bool puts_heap = align_up(start + fat + fat_length, boundary) == start + heap;
    return puts_fat && puts_heap ? std::optional(boundary) : std::nullopt;
}

void set_exfat(Numbers& numbers, Bytes start, FormatSpec& spec) {
    const auto fat = numbers.bytes("fat_offset"), fat_length = numbers.bytes("fat_length"),
               heap = numbers.bytes("cluster_heap_offset");
    if (!fat || !fat_length || !heap) return;
    const Bytes sector = numbers.bytes("sector_size").value_or(512_B);
    spec.boundary = boundary_of(start, sector, *fat, *fat_length, *heap);
    if (spec.boundary) spec.fat_length = fat_length;
}

/// The only volume of the profile, which is the volume to create.
Result<const Values*> volume_of(const Profile& profile) {
    const std::string name = fmt::format("the profile '{}'", profile.name);
    if (!profile.volumes || profile.volumes->empty())
        return fail(Errc::bad_request, name + " describes no volume, so there is nothing to make from it");
    const bool behind_efi = profile.volumes->size() == 2 && is_efi_system(profile.volumes->front());
    if (profile.volumes->size() > 1 && !behind_efi)
        return fail(Errc::bad_request,
                    fmt::format("{} has {} volumes, and a format makes one: use it with inspect --expect", name,
                                profile.volumes->size()));
    return &profile.volumes->back();
}

} // namespace

Result<FormatSpec> spec_from(const Profile& profile, Bytes medium) {
    if (profile.size && *profile.size != medium)
        return fail(Errc::bad_request,
                    fmt::format("the profile '{}' is for a medium of {} bytes, and this medium has {}: remove its "
                                "\"size\" if any size is allowed",
                                profile.name, profile.size->count, medium.count));
    const auto volume = volume_of(profile);
    if (!volume) return fail(volume.error());
    const std::string* const named = find(**volume, "file_system");
    if (named == nullptr)
        return fail(Errc::bad_request, fmt::format("the profile '{}' names no file_system", profile.name));
    const auto fs = file_system_from(*named);
    if (!fs) return fail(fs.error());

    Numbers numbers(profile, **volume);
    FormatSpec spec{.fs = *fs, .cluster_size = {}, .label = {}};
    const bool in_blocks = *fs == FileSystem::apfs || is_hfs(*fs);
    // APFS has only one block size, and its formatter has no option for it.
    if (*fs != FileSystem::apfs) spec.cluster_size = numbers.bytes(in_blocks ? "block_size" : "cluster_size");
    if (const std::string* const label = find(**volume, "label")) spec.label = *label;
    const auto start = numbers.bytes("start");
    if (profile.scheme != "none") {
        const auto table = from_name<TableScheme>(profile.scheme);
        if (!table) return fail(table.error());
        spec.partition = PartitionSpec{.table = *table,
                                       .start = start,
                                       .length = numbers.bytes("length"),
                                       .efi_system_partition = profile.volumes->size() == 2};
    }
    if (*fs == FileSystem::exfat) set_exfat(numbers, start.value_or(0_B), spec);
    // Pass the number only if it is not the default: with an explicit number mkfs.fat does not round the volume.
    constexpr std::uint64_t usual_fat32_reserved = 32;
    if (const auto sectors = numbers.count("reserved_sectors"); sectors && is_fat(*fs))
        if (*fs != FileSystem::fat32 || *sectors != usual_fat32_reserved)
            spec.reserved_sectors = static_cast<std::uint32_t>(*sectors);
    if (*fs == FileSystem::hfs_plus_journaled || *fs == FileSystem::hfsx_journaled)
        spec.journal_size = numbers.bytes("journal_size");
    if (!numbers.fault().empty()) return fail(Errc::bad_request, numbers.fault());
    return spec;
}

} // namespace mediarig::media
