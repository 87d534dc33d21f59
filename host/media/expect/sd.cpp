// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>

#include "host/media/expect/finder.hpp"
#include "host/media/expect/rules.hpp"

namespace mediarig::media {
namespace {

using detail::bytes_text;
using detail::Finder;
using detail::Rule;

constexpr const char* table_source = "manual page of mkfs.exfat; SdFat; dumps of formatted cards";

constexpr Rule scheme_rule{Severity::warning, "cameras and players expect an MBR on a card", table_source,
                           Certainty::published};
constexpr Rule count_rule{Severity::warning, "cameras and players use the first partition alone", table_source,
                          Certainty::published};
constexpr Rule file_system_rule{Severity::warning, "the SD classes name their file system; a camera may refuse another",
                                table_source, Certainty::published};
constexpr Rule start_rule{Severity::warning, "a partition that does not begin on a boundary unit shares erase blocks",
                          table_source, Certainty::published};
constexpr Rule heap_rule{Severity::warning,
                         "clusters that straddle allocation units make each write a read-modify-write of two",
                         table_source, Certainty::published};
constexpr Rule fat_rule{Severity::warning, "a FAT that shares its allocation unit with data wears both", table_source,
                        Certainty::published};
constexpr Rule cluster_rule{Severity::warning, "the speed class is promised for writes of this cluster size",
                            table_source, Certainty::published};
constexpr Rule type_rule{Severity::warning, "the type that the SD layout gives this file system", table_source,
                         Certainty::published};
constexpr Rule unknown_rule{Severity::note, "what SDUC expects above 2 TiB is not public: nothing was compared",
                            table_source, Certainty::published};

/// The MBR's CHS addresses reach so far.
constexpr std::uint64_t chs_sectors = 16'450'560;

std::string expected_type(const InspectedVolume& volume) {
    if (volume.file_system == "exfat") return "0x07";
    const std::uint64_t last = (volume.start + volume.length).count / 512;
    if (volume.file_system == "fat32") return last < chs_sectors ? "0x0b" : "0x0c";
    return {};
}

void check_alignment(const InspectedVolume& volume, const SdLayout& layout, Finder& finder) {
    const std::string subject = detail::subject_of(0);
    const Bytes unit = layout.boundary_unit;
    if (volume.start % unit != 0_B || volume.start == 0_B)
        finder.add(subject, "start", bytes_text(volume.start), "a multiple of " + bytes_text(unit), start_rule);
    const char* heap = volume.file_system == "exfat" ? "cluster_heap_offset" : "data_offset";
    if (const auto offset = detail::number(volume, heap)) {
        const Bytes on_medium = volume.start + Bytes{*offset};
        if (on_medium % unit != 0_B)
            finder.add(subject, heap, fmt::format("{} on the medium", bytes_text(on_medium)),
                       "a multiple of " + bytes_text(unit), heap_rule);
    }
    // In the SD layout of exFAT the FAT has the second half of a boundary unit for itself.
    if (const auto fat = detail::number(volume, "fat_offset"); fat && volume.file_system == "exfat") {
        const Bytes half{unit.count / 2};
        if (Bytes{*fat} != half) finder.add(subject, "fat_offset", bytes_text({*fat}), bytes_text(half), fat_rule);
    }
}

} // namespace

std::optional<SdLayout> sd_layout_for(Bytes capacity) {
    static constexpr std::array layouts{
        SdLayout{8_MiB, 8_KiB, 8_KiB, "fat12"},          SdLayout{64_MiB, 16_KiB, 16_KiB, "fat12"},
        SdLayout{256_MiB, 16_KiB, 32_KiB, "fat16"},      SdLayout{1_GiB, 16_KiB, 64_KiB, "fat16"},
        SdLayout{2_GiB, 32_KiB, 64_KiB, "fat16"},        SdLayout{32_GiB, 32_KiB, 4_MiB, "fat32"},
        SdLayout{128_GiB, 128_KiB, 16_MiB, "exfat"},     SdLayout{512_GiB, 256_KiB, 32_MiB, "exfat"},
        SdLayout{{2ULL << 40}, 512_KiB, 64_MiB, "exfat"}};
    const auto fits = std::ranges::find_if(layouts, [&](const SdLayout& layout) { return capacity <= layout.up_to; });
    return fits != layouts.end() ? std::optional(*fits) : std::nullopt;
}

std::vector<Deviation> sd_deviations(const InspectReport& report) {
    std::vector<Deviation> found;
    Finder finder(found);
    const auto layout = sd_layout_for(report.size);
    if (!layout) {
        finder.add("medium", "size", bytes_text(report.size), "2 TiB or less", unknown_rule);
        return found;
    }
    finder.compare(detail::table_subject, "scheme", report.scheme, "mbr", scheme_rule);
    if (report.volumes.size() != 1)
        finder.add(detail::table_subject, "partitions", std::to_string(report.volumes.size()), "1", count_rule);
    if (report.volumes.empty()) return found;

    const InspectedVolume& volume = report.volumes.front();
    const std::string subject = detail::subject_of(0);
    finder.compare(subject, "file_system", volume.file_system.empty() ? "none known" : volume.file_system,
                   std::string(layout->file_system), file_system_rule);
    if (volume.file_system != layout->file_system) return found;
    check_alignment(volume, *layout, finder);
    if (const auto cluster = detail::number(volume, "cluster_size"); cluster && Bytes{*cluster} != layout->cluster_size)
        finder.add(subject, "cluster_size", bytes_text({*cluster}), bytes_text(layout->cluster_size), cluster_rule);
    const auto type = parameter(volume, "partition_type");
    if (const std::string expected = expected_type(volume); type && !expected.empty())
        finder.compare(subject, "partition_type", *type, expected, type_rule);
    return found;
}

} // namespace mediarig::media
