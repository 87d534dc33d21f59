// SPDX-License-Identifier: GPL-3.0-or-later
/// Checks that every type of libblkid has a class, and the decisions for signatures of real tools and documented
/// magics.
#include "host/media/claim/signature.hpp"

#include <blkid/blkid.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "host/base/process/run_process.hpp"
#include "host/media/claim/linux/blkid_probe.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace std::string_literals;

namespace {

void put(const std::string& file, std::uint64_t at, const std::string& bytes) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(at)).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    REQUIRE(stream.flush());
}

std::string bytes_of(const std::string& file, std::uint64_t at, std::size_t count) {
    std::ifstream stream(file, std::ios::binary);
    std::string bytes(count, '\0');
    stream.seekg(static_cast<std::streamoff>(at)).read(bytes.data(), static_cast<std::streamsize>(count));
    return bytes;
}

/// True if the tool is installed and succeeded.
bool made_by(const std::string& program, const std::vector<std::string>& arguments, const std::string& input = {}) {
    const auto ran = process::run_process({.program = program, .arguments = arguments, .input = input});
    return ran && ran->succeeded();
}

std::vector<Signature> found_on(const std::string& file) {
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(fd >= 0);
    const auto scan = probe_signatures(fd, Bytes{std::filesystem::file_size(file)});
    ::close(fd);
    REQUIRE(reason(scan) == "success");
    CHECK(scan->unreadable.empty());
    return scan->found;
}

/// All signatures found: "raid_member jbd", or "may be erased exfat".
std::string erasability(const std::string& file) {
    std::string text;
    for (const Signature& signature : found_on(file)) {
        const auto refusal = refusal_for(signature, "it");
        text += (text.empty() ? "" : ", ") +
                (refusal ? std::string(name_of(refusal->kind)) : std::string("may be erased")) + " " + signature.type;
    }
    return text.empty() ? "nothing" : text;
}

std::string usage_name(int usage) {
    switch (usage) {
        case BLKID_USAGE_FILESYSTEM:
            return "filesystem";
        case BLKID_USAGE_RAID:
            return "raid";
        case BLKID_USAGE_CRYPTO:
            return "crypto";
        case BLKID_USAGE_OTHER:
            return "other";
        default:
            return "unknown";
    }
}

Signature signature(const std::string& type, const std::string& usage) {
    Signature one;
    one.type = type;
    one.usage = usage;
    return one;
}

Medium medium_on(Transport transport, const std::string& backing_file = {}) {
    Medium medium;
    medium.transport = transport;
    medium.backing_file = backing_file;
    return medium;
}

} // namespace

TEST_CASE("every type of the installed libblkid has a class") {
    // Self-contained types. A type that is in no list is new: decide about the type here and in signature.cpp.
    const std::set<std::string> may_be_erased{
        "ReFS", "apfs",   "befs",    "bfs",      "btrfs", "cramfs",   "erofs",     "exfat",        "exfs",  "ext2",
        "ext3", "ext4",   "ext4dev", "f2fs",     "hfs",   "hfsplus",  "hpfs",      "iso9660",      "jfs",   "minix",
        "ntfs", "nilfs2", "reiser4", "reiserfs", "romfs", "squashfs", "squashfs3", "swap",         "sysv",  "ubifs",
        "udf",  "ufs",    "vfat",    "vxfs",     "xenix", "xfs",      "zonefs",    "scoutfs_meta", "cramfs"};
    const std::set<std::string> part{"zfs_member",
                                     "VMFS",
                                     "VMFS_volume_member",
                                     "oracleasm",
                                     "ocfs",
                                     "ocfs2",
                                     "gfs",
                                     "gfs2",
                                     "mpool",
                                     "nss",
                                     "drbd",
                                     "drbdproxy_datalog",
                                     "jbd",
                                     "vdo",
                                     "swsuspend",
                                     "bcache",
                                     "bcachefs",
                                     "ceph_bluestore",
                                     "DM_snapshot_cow",
                                     "ubi",
                                     "stratis",
                                     "LVM1_member",
                                     "LVM2_member",
                                     "xfs_external_log",
                                     "drbdmanage_control_volume"};
    const std::set<std::string> encrypted{"crypto_LUKS", "BitLocker", "cs_fvault2", "DM_verity_hash", "DM_integrity"};
    const char* name = nullptr;
    int usage = 0;
    std::size_t known = 0;
    for (std::size_t i = 0; blkid_superblocks_get_name(i, &name, &usage) == 0; ++i, ++known) {
        const std::string type = name;
        CAPTURE(type, usage);
        const auto refusal = refusal_for(signature(type, usage_name(usage)), "it");
        if (may_be_erased.contains(type)) {
            CHECK_FALSE(refusal);
            continue;
        }
        REQUIRE(refusal);
        const bool raid = type.ends_with("_raid_member") || part.contains(type);
        CHECK((raid || encrypted.contains(type)));
        CHECK(refusal->kind == (raid ? RefusalKind::raid_member : RefusalKind::encrypted));
        // udev may omit the usage.
        CHECK(refusal_for(signature(type, ""), "it"));
    }
    CHECK(known > 70);
}

TEST_CASE("a type without a class, an unknown type and contradictory signatures are refused") {
    for (const char* usage : {"unknown", "cluster"}) {
        const auto refusal = refusal_for(signature("newfs", usage), "it");
        REQUIRE(refusal);
        CHECK(refusal->kind == RefusalKind::unknown_state);
    }
    Signature ext4 = signature("ext4", "filesystem");
    ext4.ambivalent = true;
    const auto refusal = refusal_for(ext4, "it");
    REQUIRE(refusal);
    CHECK(refusal->kind == RefusalKind::unknown_state);
    CHECK_FALSE(refusal_for(signature("exfat", "filesystem"), "it"));
}

TEST_CASE("Core Storage is encrypted data, on the whole device and in a partition") {
    const tests::Scratch folder;
    const auto put_header = [](const std::string& image, std::size_t at) {
        put(image, at + 8, "\1\0\x10\0"s); // version and block type
        put(image, at + 72, "\0\0\0\1\0\0\0\0"s);
        put(image, at + 88, "CS"s);
    };
    const std::string whole = folder.image("whole", 16_MiB);
    put_header(whole, 0);
    CHECK(erasability(whole) == "encrypted cs_fvault2");

    const std::string partition = folder.image("partition", 16_MiB);
    put(partition, 446, "\0\0\2\0\xAC\xFE\xFF\xFF\0\x08\0\0\0\x10\0\0"s); // 4096 sectors from 2048 on
    put(partition, 510, "\x55\xAA"s);
    CHECK(erasability(partition) != "encrypted cs_fvault2");
    put_header(partition, 1 << 20);
    CHECK(erasability(partition) == "encrypted cs_fvault2");
}

TEST_CASE("the class of a signature that a real tool wrote determines the decision") {
    const tests::Scratch folder;
    struct Row {
        std::string name, program;
        std::vector<std::string> arguments; ///< followed by the image
        std::string judged;
    };
    const Row rows[] = {
        {"journal", "mke2fs", {"-q", "-O", "journal_dev"}, "raid_member jbd"},
        {"ext4", "mke2fs", {"-q", "-t", "ext4"}, "may be erased ext4"},
        {"swap", "mkswap", {}, "may be erased swap"},
        {"exfat", "mkfs.exfat", {}, "may be erased exfat"},
        {"btrfs", "mkfs.btrfs", {"-q", "-f"}, "may be erased btrfs"},
        {"ocfs2", "mkfs.ocfs2", {"-q", "-x", "-F"}, "raid_member ocfs2"},
        {"lvm", "pvcreate", {"-q"}, "raid_member LVM2_member"},
    };
    std::size_t tried = 0;
    for (const Row& row : rows) {
        CAPTURE(row.name);
        const std::string image = folder.image(row.name, 160_MiB);
        auto arguments = row.arguments;
        arguments.push_back(image);
        if (!process::find_program(row.program) || !made_by(row.program, arguments)) {
            WARN("SKIPPED: " + row.program + " is not installed or makes no signature in a file");
            continue;
        }
        ++tried;
        CHECK(erasability(image) == row.judged);
    }
    CHECK(tried >= 3);

    const std::string vault = folder.image("vault", 32_MiB);
    if (made_by("cryptsetup", {"-q", "luksFormat", "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", vault, "-"},
                "pass"))
        CHECK(erasability(vault) == "encrypted crypto_LUKS");
    const std::string one = folder.image("one", 160_MiB), two = folder.image("two", 160_MiB);
    if (made_by("mkfs.btrfs", {"-q", "-f", one, two})) CHECK(erasability(one) == "raid_member btrfs");
    const std::string asleep = folder.image("asleep", 16_MiB);
    if (made_by("mkswap", {asleep})) {
        put(asleep, 4096 - 10, "S1SUSPEND\0"s);
        CHECK(erasability(asleep) == "raid_member swsuspend");
    }
}

TEST_CASE("the class of a signature with the documented magic determines the decision") {
    const tests::Scratch folder;
    struct Row {
        std::string name;
        std::uint64_t at;
        std::string bytes, judged;
    };
    // Sources: the kernel's headers for each format, and those of libblkid.
    const std::string uberblock = "\x0c\xb1\xba\x00\x00\x00\x00\x00"s + std::string(1016, '\0');
    // A label of ZFS at 16 KiB. Its pairs have a size, a decoded size, a name with its length, a type, a count and a
    // value, all big-endian. libblkid reads the label since 2.40, and the uberblocks at 128 KiB in earlier versions.
    const auto pair = [](const std::string& length, const std::string& name, char last) {
        return "\0\0\0"s + length + "\0\0\0\x20\0\0\0"s + name + "\0\0\0\x08\0\0\0\x01\0\0\0\0\0\0\0"s + last;
    };
    const std::string label = "\x01\x01\0\0\0\0\0\0\0\0\0\x01"s + pair(" ", "\x04guid"s, 1) +
                              pair("$", "\x05state\0\0\0"s, 0) + pair(" ", "\x03txg\0"s, 1) + std::string(8, '\0');
    const std::string uberblocks = uberblock + uberblock + uberblock + uberblock + uberblock;
    std::string md = "\xfc\x4e\x2b\xa9\x01\x00\x00\x00"s + std::string(248, '\0');
    md[144] = 8;                            // position of the superblock in sectors
    md.replace(216, 4, "\x05\x4f\x2b\xa9"); // sum of the words of the superblock
    const Row rows[] = {
        {"oracleasm", 32, "ORCLDISK", "raid_member oracleasm"},
        {"vdo", 0, "dmvdo001", "raid_member vdo"},
        {"gfs2", 65536, "\x01\x16\x19\x70\0\0\0\1"s + std::string(16, '\0') + "\x00\x00\x07\x09\x00\x00\x07\x6c"s,
         "raid_member gfs2"},
        {"vmfs", 2 << 20, "\x5e\xf1\xab\x2f", "raid_member VMFS"},
        {"vmfs volume", 1 << 20, "\x0d\xd0\x01\xc0", "raid_member VMFS_volume_member"},
        {"zfs", 16 << 10, label + std::string((112 << 10) - label.size(), '\0') + uberblocks, "raid_member zfs_member"},
        {"md", 4096, md, "raid_member linux_raid_member"},
    };
    for (const Row& row : rows) {
        const std::string image = folder.image(row.name, 64_MiB);
        put(image, row.at, row.bytes);
        CAPTURE(row.name);
        CHECK(erasability(image) == row.judged);
    }
}

TEST_CASE("a medium with two file systems of which neither takes precedence is refused because of both") {
    const tests::Scratch folder;
    const std::string both = folder.image("both", 160_MiB), other = folder.image("other", 160_MiB);
    if (!made_by("mkfs.btrfs", {"-q", "-f", both}) || !made_by("mke2fs", {"-q", "-t", "ext4", other}))
        MEDIARIG_SKIP("mkfs.btrfs or mke2fs is not installed");
    put(both, 1024, bytes_of(other, 1024, 1024));
    const std::string said = erasability(both);
    CHECK((said == "unknown_state ext4, unknown_state btrfs" || said == "unknown_state btrfs, unknown_state ext4"));
}

TEST_CASE("unreadable ranges are permitted only on removable buses and images, and only on request") {
    const std::vector<DeviceExtent> ranges{{0_B, 2_MiB}, {1_GiB, 512_B}};
    struct Row {
        Medium medium;
        bool may_be_permitted;
    };
    const Row rows[] = {{medium_on(Transport::usb), true},
                        {medium_on(Transport::mmc), true},
                        {medium_on(Transport::sata), false},
                        {medium_on(Transport::nvme), false},
                        {medium_on(Transport::scsi), false},
                        {medium_on(Transport::unknown), false},
                        {medium_on(Transport::loop), false},
                        {medium_on(Transport::loop, "/home/me/card.img"), true},
                        {medium_on(Transport::loop, "/dev/sda"), false}};
    for (const Row& row : rows) {
        CAPTURE(name_of(row.medium.transport), row.medium.backing_file);
        CHECK_FALSE(refusal_for({}, row.medium, Contents::must_be_known));
        const auto refused = refusal_for(ranges, row.medium, Contents::must_be_known);
        REQUIRE(refused);
        CHECK(refused->kind == RefusalKind::unknown_state);
        CHECK_THAT(refused->detail, ContainsSubstring("bytes 0 to 2097152, 1073741824 to 1073742336: read errors") &&
                                        ContainsSubstring("--contents-unknown"));
        CHECK(refusal_for(ranges, row.medium, Contents::may_be_unknown).has_value() != row.may_be_permitted);
    }
}
