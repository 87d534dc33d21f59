// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/conformance/layout.hpp"

#include <algorithm>
#include <charconv>

#include "host/media/conformance/finder.hpp"

namespace mediarig::media {
namespace {

constexpr Bytes largest_unit = 64_MiB;

/// A part of a volume, from its offset in the volume to the start of the next part.
struct Part {
    Bytes at;
    std::string what;
};

std::vector<Part> parts_of(const InspectedVolume& volume) {
    const auto number = [&](const char* name) { return detail::number(volume, name); };
    std::vector<Part> parts{{0_B, volume.file_system.empty() ? "unknown" : volume.file_system}};
    const auto add = [&](std::optional<std::uint64_t> at, const std::string& what) {
        if (at) parts.push_back({{*at}, volume.file_system + ": " + what});
    };
    if (const auto heap = number("cluster_heap_offset")) {
        parts.front().what = "exfat: boot regions";
        add(number("fat_offset"), "FAT");
        add(heap, "cluster heap");
    } else if (const auto data = number("data_offset")) {
        parts.front().what = volume.file_system + ": reserved sectors";
        add(number("fat_offset"), "FATs");
        add(data, "data");
    } else if (number("catalog_file_start")) {
        parts.front().what = volume.file_system + ": header and bitmap";
        add(number("journal_offset"), "journal");
        add(number("extents_file_start"), "extents overflow file");
        add(number("attributes_file_start"), "attributes file");
        add(number("catalog_file_start"), "catalog file");
        const auto start = number("catalog_file_start"), size = number("catalog_file_size");
        if (start && size) add(*start + *size, "files");
    }
    std::ranges::stable_sort(parts, {}, &Part::at);
    return parts;
}

class RowBuilder {
public:
    explicit RowBuilder(Bytes size) : size_(size) {}
    void fill(Bytes to, const std::string& what) {
        const Bytes end = std::min(to, size_);
        if (end <= reached_) return;
        regions_.push_back(
            {.start = reached_, .length = end - reached_, .what = what, .alignment = alignment_of(reached_)});
        reached_ = end;
    }
    [[nodiscard]] Bytes reached() const { return reached_; }
    [[nodiscard]] std::vector<Region> done(const char* rest) {
        fill(size_, rest);
        return std::move(regions_);
    }

private:
    Bytes size_, reached_;
    std::vector<Region> regions_;
};

/// Length of the driver descriptor and the map together.
Bytes apple_map_length(const InspectReport& report) {
    const auto length = std::ranges::find(report.parameters, "map_length", &Parameters::value_type::first);
    std::uint64_t bytes = 0;
    if (length != report.parameters.end())
        std::from_chars(length->second.data(), length->second.data() + length->second.size(), bytes);
    return {bytes};
}

} // namespace

Bytes alignment_of(Bytes at) {
    if (at == 0_B) return {};
    return std::min(Bytes{at.count & (~at.count + 1)}, largest_unit);
}

std::vector<Region> layout_of(const InspectReport& report) {
    RowBuilder row(report.size);
    const Bytes sector{report.sector_size};
    // GPT: protective MBR, header and 128 entries of 128 bytes, mirrored at the end.
    const Bytes entries = 16_KiB;
    if (report.scheme == "mbr") row.fill(sector, "partition table");
    if (report.scheme == "apm") row.fill(apple_map_length(report), "partition table");
    if (report.scheme == "gpt") row.fill(sector * 2 + entries, "partition table");
    std::vector<const InspectedVolume*> volumes;
    for (const InspectedVolume& volume : report.volumes) volumes.push_back(&volume);
    std::ranges::stable_sort(volumes, {}, [](const InspectedVolume* volume) { return volume->start; });
    for (const InspectedVolume* volume : volumes) {
        row.fill(volume->start, "free");
        const std::vector<Part> parts = parts_of(*volume);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const Bytes end = i + 1 < parts.size() ? std::min(parts[i + 1].at, volume->length) : volume->length;
            row.fill(volume->start + end, parts[i].what);
        }
    }
    if (report.scheme == "gpt" && report.size > entries + sector && row.reached() < report.size - entries - sector) {
        row.fill(report.size - entries - sector, "free");
        row.fill(report.size, "backup partition table");
    }
    const bool something_unknown = report.volumes.empty() && report.scheme == "none" && !report.blank;
    return row.done(something_unknown ? "unknown" : "free");
}

} // namespace mediarig::media
