// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/published/tables.hpp"

namespace mediarig::published {
namespace {

constexpr std::array other_exfat{
    Row{"4 KB", {10.116, 1.323, 7.710, 0.984}},       Row{"8 KB", {16.845, 2.699, 13.413, 1.970}},
    Row{"16 KB", {24.581, 5.553, 20.935, 3.991}},     Row{"32 KB", {33.694, 11.227, 33.429, 7.880}},
    Row{"64 KB", {47.964, 18.227, 47.845, 13.693}},   Row{"128 KB", {58.065, 24.556, 58.338, 20.204}},
    Row{"256 KB", {67.329, 29.973, 67.222, 26.027}},  Row{"512 KB", {72.982, 33.071, 73.233, 32.195}},
    Row{"1024 KB", {75.113, 37.309, 76.647, 22.851}},
};
constexpr std::array other_hfs{
    Row{"4 KB", {9.603, 1.585, 9.533, 0.318}},        Row{"8 KB", {12.388, 2.740, 10.409, 0.584}},
    Row{"16 KB", {19.964, 4.902, 18.574, 1.043}},     Row{"32 KB", {30.339, 8.146, 30.363, 1.812}},
    Row{"64 KB", {42.467, 14.530, 43.380, 3.571}},    Row{"128 KB", {54.863, 21.426, 55.565, 4.824}},
    Row{"256 KB", {64.995, 28.778, 65.415, 7.016}},   Row{"512 KB", {72.578, 35.611, 72.059, 9.286}},
    Row{"1024 KB", {76.073, 39.949, 76.113, 14.098}},
};
constexpr std::array pny_exfat{
    Row{"4 KB", {8.536, 0.977, 6.674, 0.881}},        Row{"8 KB", {15.417, 1.966, 10.989, 1.921}},
    Row{"16 KB", {24.324, 4.000, 20.341, 3.897}},     Row{"32 KB", {37.984, 8.272, 31.292, 7.746}},
    Row{"64 KB", {51.664, 12.447, 42.560, 14.958}},   Row{"128 KB", {63.278, 7.729, 55.509, 21.409}},
    Row{"256 KB", {71.460, 29.881, 66.635, 30.916}},  Row{"512 KB", {75.744, 44.609, 72.681, 19.489}},
    Row{"1024 KB", {78.557, 48.298, 77.158, 45.559}}, Row{"Average", {47.440, 17.576, 42.649, 16.308}},
};
constexpr std::array pny_hfs{
    Row{"4 KB", {8.610, 1.217, 8.066, 1.010}},        Row{"8 KB", {15.488, 2.490, 12.813, 1.591}},
    Row{"16 KB", {25.098, 5.054, 21.550, 3.604}},     Row{"32 KB", {38.979, 10.256, 32.083, 6.716}},
    Row{"64 KB", {53.187, 19.755, 44.300, 17.052}},   Row{"128 KB", {63.483, 30.526, 56.166, 26.321}},
    Row{"256 KB", {71.079, 37.985, 66.111, 29.015}},  Row{"512 KB", {74.812, 50.997, 73.809, 33.205}},
    Row{"1024 KB", {77.937, 54.877, 76.845, 38.264}}, Row{"Average", {47.630, 23.684, 43.527, 17.420}},
};

// Averages over sizes that were not printed individually.
constexpr std::array larger{Row{"exFAT, Lg Ave", {81.515, 52.971}}, Row{"HFS+J, Lg Ave", {81.521, 55.299}},
                            Row{"exFAT, Ext Ave", {82.071, 57.983}}, Row{"HFS+J, Ext Ave", {82.938, 56.653}}};

constexpr std::array<std::string_view, 4> columns{"S.Read", "S.Write", "R.Read", "R.Write"};

constexpr PublishedTable table(std::string_view name, std::string_view host, std::string_view device,
                               std::string_view format, std::span<const Row> rows) {
    return {.name = name,
            .tool = "QuickBench",
            .suite = "quickbench",
            .source = sources::microsd,
            .host = host,
            .device = device,
            .format = format,
            .unit = "MB/s",
            .columns = columns,
            .decimals = 3,
            .rows = rows,
            .differs = "standard tests, no caching, synchronous; one pass; volume of a size not published"};
}

constexpr std::string_view other_card = "another reader's SDXC card, class 10";
constexpr std::string_view pny = "PNY StorEDGE 128 GB";
constexpr std::string_view other_host = "not said";
constexpr std::string_view pny_host = "MacBook Pro (8,2)";

} // namespace

extern const std::array<PublishedTable, 5> quickbench_tables;
constexpr std::array<PublishedTable, 5> quickbench_tables{
    table("quickbench-other-exfat", other_host, other_card, "exFAT", other_exfat),
    table("quickbench-other-hfs+j", other_host, other_card, "HFS+ Journaled", other_hfs),
    table("quickbench-pny-exfat", pny_host, pny, "exFAT", pny_exfat),
    table("quickbench-pny-hfs+j", pny_host, pny, "HFS+ Journaled", pny_hfs),
    table("quickbench-pny-larger", pny_host, pny, "exFAT and HFS+ Journaled", larger),
};

} // namespace mediarig::published
