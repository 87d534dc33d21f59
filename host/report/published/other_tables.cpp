// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/published/tables.hpp"

namespace mediarig::published {
namespace {

constexpr std::array speeds{
    Row{"put char", {547, 98, 752, 98, 184, 99, 130, 99}},
    Row{"put block", {1290032, 86, 1238481, 77, 888304, 95, 842978, 82}},
    Row{"rewrite", {889147, 69, 885117, 59, 886564, 84, 769741, 67}},
    Row{"get char", {1549, 99, 1949, 99, 1090, 99, 1424, 99}},
    Row{"get block", {2275523, 90, 2111772, 83, 2014824, 87, 870519, 45}},
    Row{"seeks", {too_fast, not_printed, too_fast, not_printed, too_fast, not_printed, 7153, 296}},
    Row{"sequential create", {22798, 88, 22771, 90, 17052, 96, 17962, 94}},
    Row{"sequential stat",
        {too_fast, not_printed, too_fast, not_printed, too_fast, not_printed, too_fast, not_printed}},
    Row{"sequential delete", {26146, 91, 26532, 90, 11066, 84, 14766, 96}},
    Row{"random create", {25061, 94, 24540, 92, 17192, 97, 19228, 94}},
    Row{"random stat", {too_fast, not_printed, too_fast, not_printed, too_fast, not_printed, too_fast, not_printed}},
    Row{"random delete", {22166, 87, 21315, 84, 11912, 92, 15020, 97}},
};
constexpr std::array latencies{
    Row{"put char", {33249, 22162, 56710, 81616}},
    Row{"put block", {20326, 10980, 156000, 417000}},
    Row{"rewrite", {19939, 18607, 13898, 22196}},
    Row{"get char", {13613, 10515, 8551, 20405}},
    Row{"get block", {4438, 5660, 17769, 96709}},
    Row{"seeks", {2135, 1766, 1978, 102000}},
    Row{"sequential create", {4638, 1964, 355, 7433}},
    Row{"sequential stat", {1019, 81, 163, 200}},
    Row{"sequential delete", {1669, 2035, 1590, 1199}},
    Row{"random create", {1126, 539, 252, 190}},
    Row{"random stat", {123, 47, 51, 73}},
    Row{"random delete", {11011, 6507, 10109, 517}},
};

constexpr std::array<std::string_view, 8> speed_columns{"HFS+", "%CPU", "HFS+ enc", "%CPU",
                                                        "APFS", "%CPU", "APFS enc", "%CPU"};
constexpr std::array<std::string_view, 4> latency_columns{"HFS+", "HFS+ enc", "APFS", "APFS enc"};
constexpr std::string_view host = "MacBook Pro 2017, 16 GB, macOS High Sierra";
constexpr std::string_view formats = "HFS+ and APFS";

constexpr std::array dd{Row{"read", {1384.42, 1903.49}}, Row{"write", {1029.67, 727.661}}};
constexpr std::array<std::string_view, 2> dd_columns{"HFS+", "APFS"};

// The lower and the upper end of the printed range.
constexpr std::array stibium{
    Row{"six hard disks, write APFS", {124, 149}}, Row{"six hard disks, read APFS", {127, 149}},
    Row{"Samsung X5, write APFS", {687, 687}},     Row{"Samsung X5, read APFS", {2600, 2600}},
    Row{"Samsung 980, write APFS", {1500, 1500}},  Row{"Samsung 980, read APFS", {1600, 1600}}};
constexpr std::array<std::string_view, 2> range_columns{"from", "to"};
// Advantage of APFS in per cent of the APFS rate; below 0: HFS+ was faster.
constexpr std::array stibium_difference{Row{"six hard disks, write", {20, 22}}, Row{"six hard disks, read", {14, 23}},
                                        Row{"Samsung X5, write", {0, 0}},       Row{"Samsung X5, read", {-9, -9}},
                                        Row{"Samsung 980, write", {0, 0}},      Row{"Samsung 980, read", {-4, -4}}};
constexpr std::array reversed{Row{"APFS write", {148, 116}}, Row{"HFS+ write", {148, 116}},
                              Row{"APFS read", {149, 124}}, Row{"HFS+ read", {149, 118}}};
constexpr std::array<std::string_view, 2> half_columns{"first half", "second half"};

constexpr std::array enumeration{Row{"HFS+, throughout", {20, 27}}, Row{"APFS, at the start", {80, not_printed}},
                                 Row{"APFS, cycle 10", {300, not_printed}}, Row{"APFS, cycles 10 to 20", {300, 380}}};

constexpr std::array disktester_256k{Row{"exFAT, 256K", {34.6, 67.4}}, Row{"HFS+J, 256K", {28.4, 65.0}},
                                     Row{"exFAT, 1 MB", {41.9, 76.6}}, Row{"HFS+J, 1 MB", {38.5, 75.8}}};
constexpr std::array<std::string_view, 2> rate_columns{"write", "read"};
constexpr std::array disktester_space{Row{"exFAT", {119.1}}, Row{"HFS+J", {116.1}}};
constexpr std::array<std::string_view, 1> space_columns{"usable"};
constexpr std::array disktester_pny{Row{"exFAT", {49.6, 77.9}}, Row{"HFS+J", {47.9, 76.5}}};
constexpr std::array disktester_iops{Row{"exFAT, write", {163.1, 1.6, 201}}, Row{"exFAT, read", {24.9, 10.3, 1315}},
                                     Row{"HFS+J, write", {166.9, 1.5, 196}}, Row{"HFS+J, read", {27.4, 9.3, 1196}}};
constexpr std::array<std::string_view, 3> iops_columns{"seconds", "MB/s", "ops/s"};

// Minimum rates of a DeckLink card. The label contains the format: width, height, bytes per pixel and frames per
// second.
constexpr std::array video{
    Row{"720x486 at 29.97, 10 bit 4:2:2", {720, 486, 8.0 / 3, 29.97, 27}},
    Row{"720x576 at 25, 10 bit 4:2:2", {720, 576, 8.0 / 3, 25, 26}},
    Row{"1280x720 at 60, 10 bit 4:2:2", {1280, 720, 8.0 / 3, 60, 141}},
    Row{"1920x1080 at 24, 10 bit 4:2:2", {1920, 1080, 8.0 / 3, 24, 127}},
    Row{"1920x1080 at 25, 10 bit 4:2:2", {1920, 1080, 8.0 / 3, 25, 132}},
    Row{"1920x1080 at 30, 10 bit 4:2:2", {1920, 1080, 8.0 / 3, 30, 158}},
    Row{"1280x720 at 60, 10 bit RGB", {1280, 720, 4, 60, 211}},
    Row{"1920x1080 at 24, 10 bit RGB", {1920, 1080, 4, 24, 190}},
    Row{"1920x1080 at 25, 10 bit RGB", {1920, 1080, 4, 25, 198}},
    Row{"1920x1080 at 30, 10 bit RGB", {1920, 1080, 4, 30, 237}},
};
constexpr std::array<std::string_view, 5> video_columns{"width", "height", "bytes", "frames/s", "MiB/s"};

} // namespace

extern const std::array<PublishedTable, 12> other_tables;
constexpr std::array<PublishedTable, 12> other_tables{{
    {.name = "bonnie-speeds",
     .tool = "Bonnie++ 1.97",
     .suite = "bonnie",
     .source = sources::high_sierra,
     .host = host,
     .device = "its SSD",
     .format = formats,
     .unit = "K/s, files: /s",
     .columns = speed_columns,
     .decimals = 0,
     .rows = speeds,
     .differs = "+++++: too fast to be measured, so at least as fast as the other figures of its row"},
    {.name = "bonnie-latencies",
     .tool = "Bonnie++ 1.97",
     .suite = "bonnie",
     .source = sources::high_sierra,
     .host = host,
     .device = "its SSD",
     .format = formats,
     .unit = "us, the worst single operation",
     .columns = latency_columns,
     .decimals = 0,
     .rows = latencies,
     .differs = "the largest of all operations, not a percentile"},
    {.name = "dd",
     .tool = "dd",
     .suite = "dd",
     .source = sources::lambdatest,
     .host = "not said",
     .device = "an NVMe SSD",
     .format = "HFS+ and APFS",
     .unit = "MiB/s, printed as MB/sec",
     .columns = dd_columns,
     .decimals = 3,
     .rows = dd,
     .differs = "zeros, no sync, and reads of the file that was just written, from the host's cache"},
    {.name = "stibium",
     .tool = "Stibium 1.0",
     .suite = "stibium",
     .source = sources::stibium,
     .host = "Mac Studio Max, macOS 12.3.1",
     .device = "six hard disks of 2 TB, two SSDs",
     .format = "APFS",
     .unit = "MB/s",
     .columns = range_columns,
     .decimals = 0,
     .rows = stibium,
     .differs = "APFS always first and on the outer half of the disk"},
    {.name = "stibium-difference",
     .tool = "Stibium 1.0",
     .suite = "stibium",
     .source = sources::stibium,
     .host = "Mac Studio Max, macOS 12.3.1",
     .device = "six hard disks of 2 TB, two SSDs",
     .format = "APFS and HFS+",
     .unit = "% by which APFS is faster",
     .columns = range_columns,
     .decimals = 0,
     .rows = stibium_difference,
     .differs = "below 0: HFS+ is faster; APFS always first and on the outer half of the disk"},
    {.name = "stibium-reversed",
     .tool = "Stibium 1.0",
     .suite = "stibium",
     .source = sources::stibium,
     .host = "Mac Studio Max, macOS 12.3.1",
     .device = "one hard disk, halves exchanged",
     .format = "APFS and HFS+",
     .unit = "MB/s",
     .columns = half_columns,
     .decimals = 0,
     .rows = reversed,
     .differs = "one pass"},
    {.name = "enumeration",
     .tool = "Enumeration (Carbon Copy Cloner)",
     .suite = "enumerate-million",
     .source = sources::ccc,
     .host = "not said",
     .device = "WD MyBook Duo, 2 TB, two equal partitions",
     .format = "HFS+ and APFS",
     .unit = "s to walk 1,000,000 files in 111,000 folders",
     .columns = range_columns,
     .decimals = 0,
     .rows = enumeration,
     .differs = "the two formats are on different halves of one disk"},
    {.name = "disktester-other",
     .tool = "DiskTester",
     .suite = "disktester",
     .source = sources::microsd,
     .host = "not said",
     .device = "another reader's SDXC card, class 10",
     .format = "exFAT and HFS+ Journaled",
     .unit = "MB/s",
     .columns = rate_columns,
     .decimals = 1,
     .rows = disktester_256k,
     .differs = "2 GB once"},
    {.name = "disktester-other-space",
     .tool = "DiskTester",
     .suite = "", // no suite reports sizes
     .source = sources::microsd,
     .host = "not said",
     .device = "another reader's SDXC card, class 10",
     .format = "exFAT and HFS+ Journaled",
     .unit = "GB",
     .columns = space_columns,
     .decimals = 1,
     .rows = disktester_space,
     .differs = "usable space of the formatted card, not a rate"},
    {.name = "disktester-pny",
     .tool = "DiskTester",
     .suite = "disktester",
     .source = sources::microsd,
     .host = "MacBook Pro (8,2)",
     .device = "PNY StorEDGE 128 GB",
     .format = "exFAT and HFS+ Journaled",
     .unit = "MB/s",
     .columns = rate_columns,
     .decimals = 1,
     .rows = disktester_pny,
     .differs = "the transfer size was not given"},
    {.name = "disktester-iops",
     .tool = "DiskTester",
     .suite = "disktester",
     .source = sources::microsd,
     .host = "MacBook Pro (8,2)",
     .device = "PNY StorEDGE 128 GB",
     .format = "exFAT and HFS+ Journaled",
     .columns = iops_columns,
     .decimals = 1,
     .rows = disktester_iops,
     .differs = "256 MiB in operations of 8 KiB, one pass"},
    {.name = "video",
     .tool = "Blackmagic Disk Speed Test",
     .suite = "blackmagic",
     .source = sources::decklink,
     .host = "any",
     .device = "any",
     .format = "any",
     .columns = video_columns,
     .decimals = 2,
     .rows = video,
     .differs = "requirement of a video format, not a measurement"},
}};

} // namespace mediarig::published
