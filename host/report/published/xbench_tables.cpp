// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/published/tables.hpp"

namespace mediarig::published {
namespace {

constexpr std::array sandisk_exfat{
    Row{"sequential write 4K", {145.82, 89.53}}, Row{"sequential write 256K", {17.35, 9.82}},
    Row{"sequential read 4K", {29.53, 8.64}},    Row{"sequential read 256K", {82.98, 41.71}},
    Row{"random write 4K", {21.75, 2.30}},       Row{"random write 256K", {5.01, 1.60}},
    Row{"random read 4K", {618.02, 4.38}},       Row{"random read 256K", {215.60, 40.01}},
    Row{"Sequential", {36.23, not_printed}},     Row{"Random", {15.88, not_printed}},
    Row{"Disk Test", {22.09, not_printed}},
};
constexpr std::array sandisk_hfs{
    Row{"sequential write 4K", {48.53, 29.80}}, Row{"sequential write 256K", {13.56, 7.67}},
    Row{"sequential read 4K", {28.69, 8.40}},   Row{"sequential read 256K", {82.50, 41.46}},
    Row{"random write 4K", {21.60, 2.29}},      Row{"random write 256K", {2.85, 0.91}},
    Row{"random read 4K", {605.30, 4.29}},      Row{"random read 256K", {213.16, 39.55}},
    Row{"Sequential", {28.30, not_printed}},    Row{"Random", {9.90, not_printed}},
    Row{"Disk Test", {14.67, not_printed}},
};
constexpr std::array other_exfat{
    Row{"sequential write 4K", {95.56, 58.67}}, Row{"sequential write 256K", {42.86, 24.25}},
    Row{"sequential read 4K", {33.39, 9.77}},   Row{"sequential read 256K", {133.56, 67.12}},
    Row{"random write 4K", {7.96, 0.84}},       Row{"random write 256K", {30.59, 9.79}},
    Row{"random read 4K", {853.85, 6.05}},      Row{"random read 256K", {352.80, 65.46}},
    Row{"Sequential", {56.15, not_printed}},    Row{"Random", {24.63, not_printed}},
    Row{"Disk Test", {34.24, not_printed}},
};
constexpr std::array other_hfs{
    Row{"sequential write 4K", {151.84, 93.23}}, Row{"sequential write 256K", {35.32, 19.98}},
    Row{"sequential read 4K", {32.03, 9.37}},    Row{"sequential read 256K", {129.02, 64.85}},
    Row{"random write 4K", {9.81, 1.04}},        Row{"random write 256K", {40.88, 13.09}},
    Row{"random read 4K", {743.84, 5.27}},       Row{"random read 256K", {336.65, 62.47}},
    Row{"Sequential", {54.15, not_printed}},     Row{"Random", {30.61, not_printed}},
    Row{"Disk Test", {39.11, not_printed}},
};

constexpr std::array<std::string_view, 2> columns{"score", "MB/s"};

constexpr PublishedTable table(std::string_view name, std::string_view host, std::string_view device,
                               std::string_view format, std::span<const Row> rows) {
    return {.name = name,
            .tool = "Xbench 1.3",
            .suite = "xbench",
            .source = sources::microsd,
            .host = host,
            .device = device,
            .format = format,
            .columns = columns,
            .decimals = 2,
            .rows = rows,
            .differs = "writes go through the host's cache: 4K sequential writes are faster than 256K ones"};
}

constexpr std::string_view sandisk_host = "MacBook Pro (10,1), 16 GB, macOS 10.9.2, Apple SDXC Reader";
constexpr std::string_view other_host = "not said";
constexpr std::string_view other = "another reader's SDXC card, class 10";

} // namespace

extern const std::array<PublishedTable, 4> xbench_tables;
constexpr std::array<PublishedTable, 4> xbench_tables{
    table("xbench-sandisk-exfat", sandisk_host, "SanDisk microSD 128 GB, as sold", "exFAT", sandisk_exfat),
    table("xbench-sandisk-hfs+j", sandisk_host, "SanDisk microSD 128 GB, reformatted", "HFS+ Journaled", sandisk_hfs),
    table("xbench-other-exfat", other_host, other, "exFAT", other_exfat),
    table("xbench-other-hfs+j", other_host, other, "HFS+ Journaled", other_hfs),
};

} // namespace mediarig::published
