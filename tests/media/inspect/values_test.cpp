// SPDX-License-Identifier: GPL-3.0-or-later

#include "host/media/inspect/inspect_values.hpp"
#include "host/media/inspect/load.hpp"
#include "host/media/mount/mount.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::media;
using nlohmann::json;

namespace {

Raw raw(const std::string& text) {
    return std::as_bytes(std::span(text));
}

FormatReport a_format_report() {
    return {.fs = FileSystem::exfat,
            .tool = "mkfs.exfat",
            .tool_version = "1.2.0",
            .arguments = {"-c", "131072", "-L", "Größe", "/proc/self/fd/3"},
            .parameters = {{"cluster_size", "131072"}, {"alpha", "comes second"}},
            .usable = Bytes{63'000'000'000},
            .elapsed = std::chrono::nanoseconds(1'234'567'890)};
}

} // namespace

TEST_CASE("each file system has one machine name and one display name") {
    for (const FileSystem fs :
         {FileSystem::exfat, FileSystem::apfs, FileSystem::hfs_plus_journaled, FileSystem::hfs_plus,
          FileSystem::hfsx_journaled, FileSystem::fat32, FileSystem::fat16, FileSystem::fat12})
        for (const std::string_view name : {name_of(fs), title_of(fs)}) CHECK(file_system_from(name) == fs);
    CHECK(name_of(FileSystem::hfs_plus_journaled) == "hfs+j");
    CHECK(title_of(FileSystem::hfs_plus_journaled) == "HFS+ Journaled");
    const auto unknown = file_system_from("ext4");
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error() == Error{Errc::bad_request,
                                   "unknown file system 'ext4': use one of exfat, apfs, hfs+j, hfs+, "
                                   "hfsx+j, fat32, fat16, fat12"});
}

TEST_CASE("formats, checks, mounts and inspections survive a round trip") {
    const FormatSpec spec{.fs = FileSystem::hfsx_journaled, .cluster_size = 8_KiB, .label = "Ü"};
    CHECK(format_spec_from_json(json::parse(to_json(spec).dump())) == spec);
    FormatSpec repeatable = spec;
    repeatable.journal_size = 8_MiB;
    repeatable.volume_id = 0xFEDCBA9876543210;
    repeatable.created = std::chrono::sys_seconds(std::chrono::seconds(1'700'000'000));
    CHECK(format_spec_from_json(json::parse(to_json(repeatable).dump())) == repeatable);
    CHECK(to_json(repeatable).at("volume_id") == "fedcba9876543210");
    const FormatSpec plain{.fs = FileSystem::apfs, .cluster_size = {}, .label = {}};
    CHECK(to_json(plain) == json{{"fs", "apfs"}});
    CHECK(format_spec_from_json(to_json(plain)) == plain);

    FormatSpec laid_out = spec;
    laid_out.partition =
        PartitionSpec{.table = TableScheme::gpt, .start = 201_MiB, .length = 1_GiB, .efi_system_partition = true};
    laid_out.boundary = 8_MiB;
    laid_out.fat_length = 16_MiB;
    laid_out.reserved_sectors = 1598;
    CHECK(format_spec_from_json(json::parse(to_json(laid_out).dump())) == laid_out);
    laid_out.partition = PartitionSpec{};
    CHECK(to_json(laid_out).at("partition") == json{{"table", "mbr"}});
    CHECK(format_spec_from_json(json::parse(to_json(laid_out).dump())) == laid_out);

    CHECK(format_report_from_json(json::parse(to_json(a_format_report()).dump())) == a_format_report());
    FormatReport partitioned = a_format_report();
    partitioned.partition = CreatedPartition{.table = TableScheme::mbr,
                                             .number = 1,
                                             .start = 16_MiB,
                                             .length = 63_GiB,
                                             .tool = "libfdisk",
                                             .tool_version = "2.38.1"};
    CHECK(format_report_from_json(json::parse(to_json(partitioned).dump())) == partitioned);
    const CheckReport check{.tool = "fsck.exfat", .tool_version = "1.2.0", .clean = false, .said = {"one", "two"}};
    CHECK(check_report_from_json(json::parse(to_json(check).dump())) == check);

    const InspectReport inspected{.size = 1_GiB,
                                  .scheme = "mbr",
                                  .volumes = {{.start = 1_MiB,
                                               .length = 8_MiB,
                                               .file_system = "exfat",
                                               .label = "L",
                                               .parameters = {{"z", "1"}, {"a", "2"}},
                                               .problem = "p"}}};
    CHECK(inspect_report_from_json(json::parse(to_json(inspected).dump())) == inspected);

    const MountReport mounted{.mount_point = "/run/x",
                              .driver = "exfat-fuse",
                              .driver_version = "1.3.0",
                              .options = "rw,nosuid",
                              .total = 1_GiB,
                              .free = 512_MiB,
                              .limits = {{.kind = measure::FindingKind::driver_limit,
                                          .severity = measure::Severity::warning,
                                          .detail = "no fallocate",
                                          .offset = {}}}};
    CHECK(mount_report_from_json(json::parse(to_json(mounted).dump())) == mounted);
    MountReport in_table = mounted;
    in_table.volume = VolumeSpan{.start = 1_MiB, .length = 1_GiB, .partition = 2};
    in_table.through_loop = true;
    CHECK(mount_report_from_json(json::parse(to_json(in_table).dump())) == in_table);
    json torn = to_json(in_table);
    torn.erase("length");
    CHECK(reason(mount_report_from_json(torn)) == "mount report.length: missing");
}

TEST_CASE("the error for an invalid member names the member") {
    struct Row {
        const char* what;
        json object;
    };
    const Row specs[] = {
        {"format: must be an object", json::array()},
        {"format.fs: missing", json::object()},
        {"format.fs: must be a string", {{"fs", 3}}},
        {"format.fs: unknown file system 'ntfs': use one of exfat, apfs, hfs+j, hfs+, hfsx+j, fat32, fat16, fat12",
         {{"fs", "ntfs"}}},
        {"format.cluster_size: must be a whole number from 0 to 2^64-1", {{"fs", "exfat"}, {"cluster_size", -1}}},
        {"format.cluster_size: must be a whole number from 0 to 2^64-1", {{"fs", "exfat"}, {"cluster_size", 1.5}}},
        {"format.label: must be a string", {{"fs", "exfat"}, {"label", 7}}},
        {"format.volume_id: must be sixteen hexadecimal digits", {{"fs", "hfs+"}, {"volume_id", "12"}}},
        {"format.volume_id: must be sixteen hexadecimal digits", {{"fs", "hfs+"}, {"volume_id", "0x23456789abcdef"}}},
        {"format.created: must be a whole number from 0 to 2^32-1", {{"fs", "hfs+"}, {"created", 1ULL << 40}}},
        {"format.journal_size: must be a whole number from 0 to 2^64-1", {{"fs", "hfs+j"}, {"journal_size", "8MiB"}}},
        {"format.reserved_sectors: must be a whole number from 0 to 2^16-1",
         {{"fs", "fat32"}, {"reserved_sectors", 65536}}},
        {"format.boundary: must be a whole number from 0 to 2^64-1", {{"fs", "exfat"}, {"boundary", "8MiB"}}},
        {"format.partition: must be an object", {{"fs", "exfat"}, {"partition", "mbr"}}},
        {"format.partition.table: missing", {{"fs", "exfat"}, {"partition", json::object()}}},
        {"format.partition.table: must be mbr or gpt", {{"fs", "exfat"}, {"partition", {{"table", "none"}}}}},
        {"format.partition.start: must be a whole number from 0 to 2^64-1",
         {{"fs", "exfat"}, {"partition", {{"table", "gpt"}, {"start", -1}}}}},
        {"format.partition.efi_system_partition: must be true or false",
         {{"fs", "exfat"}, {"partition", {{"table", "gpt"}, {"efi_system_partition", 1}}}}},
    };
    for (const Row& row : specs) CHECK(reason(format_spec_from_json(row.object)) == row.what);

    json report = to_json(a_format_report());
    report["partition"] = {{"table", "mbr"}, {"number", 0}, {"start", 0},
                           {"length", 0},    {"tool", ""},  {"tool_version", ""}};
    CHECK(reason(format_report_from_json(report)) ==
          "format report.partition.number: must be a whole number from 1 to 1024");
    report["partition"]["number"] = 1;
    report["partition"].erase("tool");
    CHECK(reason(format_report_from_json(report)) == "format report.partition.tool: missing");
    report.erase("partition");
    report["elapsed_ns"] = ~0ULL;
    CHECK(reason(format_report_from_json(report)) ==
          "format report.elapsed_ns: must be a whole number from 0 to 2^63-1");
    report["arguments"] = json::array({1});
    CHECK(reason(format_report_from_json(report)) == "format report.arguments[0]: must be a string");
    report["arguments"] = "x";
    CHECK(reason(format_report_from_json(report)) == "format report.arguments: must be a list");
    report = to_json(a_format_report());
    report["parameters"] = json::array({{{"name", "x"}}});
    CHECK(reason(format_report_from_json(report)) == "format report.parameters[0].value: missing");

    CHECK(reason(check_report_from_json({{"tool", "x"}, {"tool_version", "1"}, {"clean", 1}})) ==
          "check report.clean: must be true or false");
    CHECK(reason(inspect_report_from_json({{"size", 1}, {"scheme", "none"}, {"volumes", json::array({1})}})) ==
          "inspect report.volumes[0]: must be an object");
    CHECK(reason(mount_report_from_json({{"mount_point", "x"}, {"driver", "y"}, {"total", 1}})) ==
          "mount report.free: missing");
}

TEST_CASE("bytes are converted to integers whatever the byte order of the host") {
    const std::string bytes("\x01\x02\x03\x04\x05\x06\x07\x08", 8);
    CHECK(load_le<std::uint16_t>(raw(bytes), 1) == 0x0302);
    CHECK(load_le<std::uint64_t>(raw(bytes), 0) == 0x0807060504030201);
    CHECK(load_be<std::uint32_t>(raw(bytes), 2) == 0x03040506);
}

TEST_CASE("UTF-8 is validated, and invalid bytes become a replacement character") {
    CHECK(text_from_utf8(raw("Größe €\xF0\x9F\x92\xBE")) == "Größe €\xF0\x9F\x92\xBE");
    CHECK(text_from_utf8(raw(std::string("cut\0off", 7))) == "cut");
    CHECK(text_from_utf8(raw("a\xFF"
                             "b")) == "a\uFFFDb");
    CHECK(text_from_utf8(raw("\xC0\xAF")) == "\uFFFD\uFFFD"); // overlong
    CHECK(text_from_utf8(raw("\xE0\x80\x80")) == "\uFFFD\uFFFD\uFFFD");
    CHECK(text_from_utf8(raw("\xED\xA0\x80")) == "\uFFFD\uFFFD\uFFFD");           // a surrogate
    CHECK(text_from_utf8(raw("\xF4\x90\x80\x80")) == "\uFFFD\uFFFD\uFFFD\uFFFD"); // the sequence ends too early
    CHECK(text_from_utf8(raw("\xE2\x82")) == "\uFFFD\uFFFD");                     // ends too early
    CHECK(text_from_utf8(raw("\x1B[31m")) == "\uFFFD[31m");                       // a control sequence for a terminal
    CHECK(text_from_utf8(raw("\xC2\x9B"
                             "31m")) == "\uFFFD31m");
}

TEST_CASE("surrogate pairs of UTF-16 become one character, and unpaired surrogates become a replacement character") {
    const auto of_units = [](std::initializer_list<std::uint16_t> units) {
        std::string bytes;
        for (const std::uint16_t unit : units) {
            bytes.push_back(static_cast<char>(unit & 0xFFU));
            bytes.push_back(static_cast<char>(unit >> 8U));
        }
        return text_from_utf16(raw(bytes));
    };
    CHECK(of_units({0xD800, 0xDC00}) == "\xF0\x90\x80\x80"); // U+10000
    CHECK(of_units({0xDBFF, 0xDFFF}) == "\xF4\x8F\xBF\xBF"); // U+10FFFF
    CHECK(of_units({0xD7FF, 0xE000}) == "\xED\x9F\xBF\xEE\x80\x80");
    CHECK(of_units({0xDC00, 0xD800}) == "\uFFFD\uFFFD");
    CHECK(of_units({0xD800, 'a'}) == "\uFFFDa");
    CHECK(of_units({0xD800}) == "\uFFFD");
    CHECK(of_units({'a', 0, 'b'}) == "a");
}

TEST_CASE("GUIDs are printed in the byte order of each format") {
    std::string bytes;
    for (int i = 0; i < 16; ++i) bytes.push_back(static_cast<char>(i));
    CHECK(guid_text(raw(bytes)) == "03020100-0504-0706-0809-0a0b0c0d0e0f");
    CHECK(uuid_text(raw(bytes)) == "00010203-0405-0607-0809-0a0b0c0d0e0f");
}
