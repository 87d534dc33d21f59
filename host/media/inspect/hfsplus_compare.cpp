// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

#include "host/media/inspect/hfsplus.hpp"

namespace mediarig::media {
namespace {

struct Compared {
    const char* field;
    std::size_t at;
    unsigned width; ///< 2, 4 or 8 bytes
};

constexpr std::array fixed_fields{Compared{"signature", 0x00, 2},        Compared{"version", 0x02, 2},
                                  Compared{"journalInfoBlock", 0x0C, 4}, Compared{"blockSize", 0x28, 4},
                                  Compared{"totalBlocks", 0x2C, 4},      Compared{"rsrcClumpSize", 0x38, 4},
                                  Compared{"dataClumpSize", 0x3C, 4},    Compared{"finderInfo[6..7]", 0x68, 8}};

constexpr std::size_t fork_length = 80;
constexpr std::array<std::pair<const char*, std::size_t>, 5> forks{{{"allocationFile", 0x70},
                                                                    {"extentsFile", 0xC0},
                                                                    {"catalogFile", 0x110},
                                                                    {"attributesFile", 0x160},
                                                                    {"startupFile", 0x1B0}}};

std::uint64_t value(Raw raw, std::size_t at, unsigned width) {
    switch (width) {
        case 2:
            return load_be<std::uint16_t>(raw, at);
        case 4:
            return load_be<std::uint32_t>(raw, at);
        default:
            return load_be<std::uint64_t>(raw, at);
    }
}

} // namespace

std::vector<HfsPlusDifference> hfs_plus_differences(Raw header, Raw alternate) {
    std::vector<HfsPlusDifference> found;
    const auto compare = [&](std::size_t at, unsigned width, const auto& name) {
        const std::uint64_t here = value(header, at, width), there = value(alternate, at, width);
        if (here != there) found.push_back({.field = name(), .offset = at, .here = here, .alternate = there});
    };
    for (const Compared& field : fixed_fields)
        compare(field.at, field.width, [&field] { return std::string(field.field); });
    // Of the attributes only the one that says how the volume is to be read: the others come and go with mounts.
    const std::uint64_t here = value(header, 4, 4), there = value(alternate, 4, 4);
    if (((here ^ there) & HfsPlusHeader::journaled_bit) != 0)
        found.push_back({.field = "attributes", .offset = 4, .here = here, .alternate = there});
    for (const auto& [fork, at] : forks) {
        if (std::memcmp(header.data() + at, alternate.data() + at, fork_length) == 0) continue;
        const auto named = [fork = fork](const char* what) { return [=] { return fmt::format("{}.{}", fork, what); }; };
        compare(at, 8, named("logicalSize"));
        compare(at + 8, 4, named("clumpSize"));
        compare(at + 12, 4, named("totalBlocks"));
        for (std::size_t i = 0; i < 8; ++i) {
            compare(at + 16 + 8 * i, 4, [=, fork = fork] { return fmt::format("{}.extents[{}].startBlock", fork, i); });
            compare(at + 20 + 8 * i, 4, [=, fork = fork] { return fmt::format("{}.extents[{}].blockCount", fork, i); });
        }
    }
    return found;
}

std::string hfs_plus_attributes_text(std::uint32_t attributes) {
    static constexpr std::array<std::pair<unsigned, const char*>, 12> names{{{7, "hardware lock"},
                                                                             {8, "unmounted"},
                                                                             {9, "spared blocks"},
                                                                             {10, "no cache"},
                                                                             {11, "boot volume inconsistent"},
                                                                             {12, "catalog IDs reused"},
                                                                             {13, "journaled"},
                                                                             {14, "inconsistent"},
                                                                             {15, "software lock"},
                                                                             {29, "expanded times"},
                                                                             {30, "content protection"},
                                                                             {31, "unused nodes zeroed"}}};
    std::vector<std::string> set;
    for (const auto& [bit, name] : names) {
        if ((attributes >> bit & 1u) == 0) continue;
        set.emplace_back(name);
        attributes &= ~(1u << bit);
    }
    if (attributes != 0) set.push_back(fmt::format("{:#x}", attributes));
    return set.empty() ? "none" : fmt::format("{}", fmt::join(set, ", "));
}

} // namespace mediarig::media
