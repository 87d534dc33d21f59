// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <span>

#include "host/media/inspect/apfs.hpp"

namespace mediarig::media {
namespace {

struct Named {
    std::uint64_t bit;
    const char* name;
};

constexpr Named of_container_features[] = {{1, "defragmentation"}, {2, "low-capacity Fusion drive"}};
constexpr Named of_container_incompatible[] = {{1, "version 1"}, {2, "version 2"}, {0x100, "Fusion"}};
constexpr Named of_container_flags[] = {{4, "software encryption"}};
constexpr Named of_volume_features[] = {{1, "defragmentation (prerelease)"},
                                        {2, "hard link map"},
                                        {4, "defragmentation"},
                                        {8, "strict access times"},
                                        {0x10, "volume group system inodes"}};
constexpr Named of_volume_incompatible[] = {{1, "case-insensitive"},          {2, "dataless snapshots"},
                                            {4, "encryption keys changed"},   {8, "normalization-insensitive"},
                                            {0x10, "restoring not complete"}, {0x20, "sealed"}};
constexpr Named of_volume_flags[] = {{1, "unencrypted"},
                                     {2, "effaceable"},
                                     {8, "one key"},
                                     {0x10, "spilled over"},
                                     {0x20, "spill-over cleaner to run"},
                                     {0x40, "extent references to be checked"}};

std::span<const Named> names_of(ApfsBits field) {
    switch (field) {
        case ApfsBits::container_features:
            return of_container_features;
        case ApfsBits::container_incompatible:
            return of_container_incompatible;
        case ApfsBits::container_flags:
            return of_container_flags;
        case ApfsBits::volume_features:
            return of_volume_features;
        case ApfsBits::volume_incompatible:
            return of_volume_incompatible;
        case ApfsBits::volume_flags:
            return of_volume_flags;
        case ApfsBits::volume_readonly:
            break; // none has been published
    }
    return {};
}

} // namespace

std::string apfs_bits_text(ApfsBits field, std::uint64_t bits) {
    std::vector<std::string> set;
    for (const auto& [bit, name] : names_of(field)) {
        if ((bits & bit) == 0) continue;
        set.emplace_back(name);
        bits &= ~bit;
    }
    if (bits != 0) set.push_back(fmt::format("{:#x}", bits));
    return set.empty() ? "none" : fmt::format("{}", fmt::join(set, ", "));
}

std::string apfs_role_text(std::uint16_t role) {
    static constexpr Named roles[] = {
        {0, "none"},       {1, "system"},       {2, "user"},       {4, "recovery"},       {8, "VM"},
        {0x10, "preboot"}, {0x20, "installer"}, {0x40, "data"},    {0x80, "baseband"},    {0xC0, "update"},
        {0x100, "xART"},   {0x140, "hardware"}, {0x180, "backup"}, {0x240, "enterprise"}, {0x2C0, "prelogin"}};
    for (const auto& [value, name] : roles)
        if (value == role) return name;
    return fmt::format("{:#x}", role);
}

std::string apfs_time_text(std::uint64_t nanoseconds) {
    if (nanoseconds == 0) return "never";
    const std::chrono::sys_seconds when{std::chrono::seconds(nanoseconds / 1'000'000'000)};
    const auto day = std::chrono::floor<std::chrono::days>(when);
    const std::chrono::year_month_day calendar(day);
    const std::chrono::hh_mm_ss time(when - day);
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", static_cast<int>(calendar.year()),
                       static_cast<unsigned>(calendar.month()), static_cast<unsigned>(calendar.day()),
                       time.hours().count(), time.minutes().count(), time.seconds().count());
}

} // namespace mediarig::media
