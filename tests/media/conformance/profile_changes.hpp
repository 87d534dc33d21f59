// SPDX-License-Identifier: GPL-3.0-or-later
/// Changes each property that a profile decides, and compares the deviations with the changed property.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "host/media/conformance/rules.hpp"
#include "host/media/format/layouts/sd_layout.hpp"
#include "tests/catch.hpp"

namespace mediarig::test {

using namespace mediarig::media;

inline std::vector<std::string> deviation_lines(const std::vector<Deviation>& deviations) {
    std::vector<std::string> lines;
    for (const Deviation& deviation : deviations)
        lines.push_back(fmt::format("{} {} {}: {} not {}", name_of(deviation.severity), deviation.subject,
                                    deviation.name, deviation.found, deviation.expected));
    return lines;
}

inline ConformanceStandard standard_of(FormatProfile profile) {
    const auto standard = standard_from(name_of(profile));
    REQUIRE(reason(standard) == "success");
    return *standard;
}

/// Changes one property of a volume, and the values that depend on it by another rule.
class PropertyChange {
public:
    PropertyChange(const InspectReport& report, FormatProfile profile, const ProfileProperty& property)
        : report_(report), profile_(profile), property_(property) {
        for (std::size_t i = 0; i < report_.volumes.size(); ++i)
            if (property_.subject == fmt::format("volume {}", i + 1)) index_ = i;
    }
    [[nodiscard]] InspectReport made() {
        const std::string& name = property_.name;
        if (name == "scheme")
            report_.scheme = report_.scheme == "mbr" ? "gpt" : "mbr";
        else if (name == "partitions")
            report_.volumes.push_back({.start = report_.size - 4_MiB, .length = 1_MiB});
        else if (name == "file_system")
            other_file_system();
        else if (name == "start")
            later_start();
        else if (name == "length")
            volume().length = volume().length - align_down({volume().length.count / 4}, 4_KiB);
        else if (name == "partition_type")
            set(name, report_.scheme == "mbr" ? "0x83" : "00000000-0000-0000-0000-000000000001");
        else if (name == "journaled")
            set(name, "no");
        else
            other_number();
        return std::move(report_);
    }

private:
    InspectedVolume& volume() { return report_.volumes.at(index_); }
    void set(const std::string& name, const std::string& value) {
        for (auto& [key, text] : volume().parameters)
            if (key == name) text = value;
    }
    void shift(const std::string& name, Bytes distance) {
        const auto now = parameter(volume(), name);
        if (now && *now != "0") set(name, std::to_string(std::stoull(*now) + distance.count));
    }
    void other_file_system() {
        volume().file_system = profile_ == FormatProfile::sd      ? "hfs+j"
                               : profile_ == FormatProfile::linux ? "apfs"
                                                                  : "ext4";
        volume().start = align_up(volume().start, 1_MiB);
        std::erase_if(volume().parameters, [](const auto& each) { return each.first == "partition_type"; });
    }
    void later_start() {
        const auto layout = sd_layout_for(report_.size);
        const Bytes distance = profile_ == FormatProfile::sd ? Bytes{layout->boundary_unit.count / 2} : 1_MiB;
        volume().start += distance;
        shift("partition_offset", distance);
        if (profile_ != FormatProfile::sd) return;
        shift("cluster_heap_offset", distance);
        shift("data_offset", distance);
    }
    void other_number() {
        const std::string& name = property_.name;
        const bool of_fat = name == "fat_offset" || name == "fat_length";
        const Bytes distance = name == "fat_offset" ? 1_MiB : name == "reserved_sectors" ? 1_B : 512_B;
        shift(name, distance);
        // On a Mac the heap follows the FAT.
        if (of_fat && profile_ == FormatProfile::macos) shift("cluster_heap_offset", distance);
    }

    InspectReport report_;
    FormatProfile profile_;
    const ProfileProperty& property_;
    std::size_t index_{};
};

/// For each property that the profile decides on this medium: the deviations after its change, unless that property is
/// the only one. `decided` receives the names of the properties.
inline std::vector<std::string> wrong_after_changes(const InspectReport& report, FormatProfile profile,
                                                    std::vector<std::string>& decided) {
    std::vector<std::string> wrong;
    const auto properties = profile_properties(report, profile);
    REQUIRE(reason(properties) == "success");
    for (const ProfileProperty& property : *properties) {
        decided.push_back(property.name);
        const InspectReport changed = PropertyChange(report, profile, property).made();
        const auto found = deviations_from(standard_of(profile), changed);
        if (found.size() == 1 && found[0].subject == property.subject && found[0].name == property.name) continue;
        std::string text = fmt::format("{} {} gives", property.subject, property.name);
        for (const std::string& line : deviation_lines(found)) text += " [" + line + "]";
        wrong.push_back(text);
    }
    return wrong;
}

} // namespace mediarig::test
