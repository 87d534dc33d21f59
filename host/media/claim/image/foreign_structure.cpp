// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/image/foreign_structure.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string_view>
#include <vector>

#include "host/media/inspect/signature.hpp"

namespace mediarig::media {
namespace {

std::uint64_t big_endian(FileBytes bytes) {
    std::uint64_t value = 0;
    for (const unsigned char byte : bytes) value = value << 8 | byte;
    return value;
}

std::uint64_t little_endian(FileBytes bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | bytes[i];
    return value;
}

bool is_control(std::uint32_t character) {
    const bool space = character == '\n' || character == '\r' || character == '\t' || character == '\f';
    return (character < 0x20 && !space) || character == 0x7f;
}

bool is_utf16(FileBytes sector) {
    const bool little = sector[0] == 0xff && sector[1] == 0xfe;
    if (!little && !(sector[0] == 0xfe && sector[1] == 0xff)) return false;
    bool line = false, high = false;
    for (std::size_t i = 2; i + 1 < sector.size(); i += 2) {
        const auto unit = little ? little_endian(sector.subspan(i, 2)) : big_endian(sector.subspan(i, 2));
        const bool low_follows = unit >= 0xdc00 && unit < 0xe000;
        if (high != low_follows || is_control(static_cast<std::uint32_t>(unit)) || unit >= 0xfffe) return false;
        high = unit >= 0xd800 && unit < 0xdc00;
        line = line || unit == '\n';
    }
    return line;
}

/// Parses octal digits with spaces or NULs around them, as tar writes them.
std::optional<std::uint64_t> octal(FileBytes field) {
    std::string_view text(reinterpret_cast<const char*>(field.data()), field.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const std::size_t digits = std::min(text.find_first_not_of("01234567"), text.size());
    if (digits == 0) return std::nullopt;
    std::uint64_t value = 0;
    for (const char digit : text.substr(0, digits)) value = value * 8 + static_cast<std::uint64_t>(digit - '0');
    if (digits < text.size() && text[digits] != ' ' && text[digits] != '\0') return std::nullopt;
    return value;
}

/// Length of an MPEG layer III frame in bytes, 0 if `header` is not a frame header. Tables: ISO 11172-3 and 13818-3.
std::size_t mp3_frame(FileBytes header) {
    constexpr std::array<std::array<unsigned, 16>, 2> kilobits{
        {{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0},
         {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0}}};
    constexpr std::array<unsigned, 4> hertz{44100, 48000, 32000, 0};
    const unsigned version = header[1] >> 3 & 3, layer = header[1] >> 1 & 3, padding = header[2] >> 1 & 1;
    if (header[0] != 0xff || (header[1] & 0xe0) != 0xe0 || version == 1 || layer != 1) return 0;
    const bool first = version == 3;
    const unsigned rate = kilobits[first ? 0 : 1][header[2] >> 4];
    const unsigned sampled = hertz[header[2] >> 2 & 3] >> (first ? 0 : version == 2 ? 1 : 2);
    if (rate == 0 || sampled == 0) return 0;
    return (first ? 144 : 72) * rate * 1000 / sampled + padding;
}

} // namespace

bool is_text(FileBytes sector) {
    if (sector.size() < 512) return false;
    if (is_utf16(sector.first(512))) return true;
    const FileBytes text = sector.first(512);
    // A test pattern on a medium may also be text without a newline, or newlines alone.
    return std::ranges::find(text, '\n') != text.end() &&
           std::ranges::any_of(text, [](auto byte) { return byte != '\n'; }) && std::ranges::none_of(text, is_control);
}

bool is_long_line(FileBytes head) {
    constexpr std::size_t enough = 4096, fewest_characters = 12;
    // A test pattern repeats a few bytes.
    std::array<bool, 256> seen{};
    for (const unsigned char byte : head) seen.at(byte) = true;
    return head.size() >= enough && std::ranges::none_of(head, is_control) &&
           static_cast<std::size_t>(std::ranges::count(seen, true)) >= fewest_characters;
}

bool is_transport_stream(FileBytes head) {
    // ISO/IEC 13818-1, 2.4.3: packets of 188 bytes begin with 0x47; Blu-ray and AVCHD put a time stamp of 4 bytes
    // before each packet.
    constexpr std::size_t enough = 8;
    const auto packets = [&](std::size_t first, std::size_t length) {
        if (head.size() < first + enough * length) return false;
        for (std::size_t i = 0; i < enough; ++i)
            if (head[first + i * length] != 0x47) return false;
        return true;
    };
    const bool repeated = std::ranges::all_of(head, [&](unsigned char byte) { return byte == head[0]; });
    return !repeated && (packets(0, 188) || packets(4, 192));
}

bool is_tar(FileBytes head) {
    if (head.size() < 512 || head[0] == 0) return false;
    const auto sum = octal(head.subspan(148, 8)), mode = octal(head.subspan(100, 8)),
               size = octal(head.subspan(124, 12));
    if (!sum || !mode || !size) return false;
    std::uint64_t counted = std::uint64_t{8} * ' ';
    for (std::size_t i = 0; i < 512; ++i)
        if (i < 148 || i >= 156) counted += head[i];
    return counted == *sum;
}

bool is_dbase(FileBytes head, std::uint64_t file_size) {
    constexpr std::array<unsigned char, 10> versions{0x02, 0x03, 0x30, 0x31, 0x32, 0x43, 0x83, 0x8b, 0xcb, 0xf5};
    if (head.size() < 65 || std::ranges::find(versions, head[0]) == versions.end()) return false;
    const std::uint64_t records = little_endian(head.subspan(4, 4)), header = little_endian(head.subspan(8, 2)),
                        record = little_endian(head.subspan(10, 2));
    if (head[2] < 1 || head[2] > 12 || head[3] < 1 || head[3] > 31 || header + records * record > file_size)
        return false;
    // The length starts at 1, for the deletion flag of the record.
    std::uint64_t together = 1;
    std::size_t at = 32;
    for (; at + 32 < head.size() && at < header && head[at] != 0x0d; at += 32) {
        constexpr std::string_view types = "+0@BCDFGILMNOPQTVWY";
        const char type = static_cast<char>(head[at + 11]);
        if (head[at] < 'A' || head[at] > 'z' || types.find(type) == std::string_view::npos) return false;
        together += head[at + 16];
        // Character fields of FoxPro may have more than 255 bytes.
        if (type == 'C') together += std::uint64_t{head[at + 17]} * 256;
    }
    return at > 32 && at < header && head[at] == 0x0d && together == record;
}

bool is_berkeley_db(FileBytes head) {
    if (head.size() < 24) return false;
    const auto agree = [&](auto number) {
        const std::uint64_t magic = number(head.subspan(12, 4)), version = number(head.subspan(16, 4)),
                            page = number(head.subspan(20, 4));
        const bool known = magic == 0x053162 || magic == 0x061561 || magic == 0x042253 || magic == 0x074582;
        return known && version >= 1 && version <= 20 && std::has_single_bit(page) && page >= 512 && page <= 65536;
    };
    return agree(big_endian) || agree(little_endian);
}

bool is_mp3(FileBytes head) {
    constexpr int enough = 4;
    std::size_t at = 0;
    for (int frame = 0; frame < enough; ++frame) {
        if (at + 4 > head.size()) return false;
        const std::size_t length = mp3_frame(head.subspan(at, 4));
        // Version, layer and sample rate must equal those of the first frame.
        if (length == 0 || head[at + 1] >> 1 != head[1] >> 1 || (head[at + 2] & 0x0c) != (head[2] & 0x0c)) return false;
        at += length;
    }
    return true;
}

namespace {

using namespace std::string_view_literals;

struct Format {
    std::size_t offset;
    std::string_view begins;
    const char* title;
};

/// Magic numbers from the magic files of file(1). For formats missing in those files, a comment names the
/// specification.
constexpr std::array formats{
    Format{0, "QFI\xfb"sv, "a qcow2 image"},
    Format{0, "vhdxfile"sv, "a VHDX image"},
    Format{0, "conectix"sv, "a VHD image"},
    Format{0, "KDMV"sv, "a VMDK image"},
    Format{0x40, "\x7f\x10\xda\xbe"sv, "a VDI image"},
    Format{0, "MSWIM\0\0\0"sv, "a WIM image"},
    // Acronis True Image: G. Kessler's list of file signatures.
    Format{0, "\xb4\x6e\x68\x44"sv, "a backup by Acronis"},
    Format{0, "\xce\x24\xb9\xa2\x20\0\0\0"sv, "a backup by Acronis"},
    Format{0, "SQLite format 3"sv, "an SQLite database"},
    // "WAL-mode File Format", sqlite.org: checksums in either byte order, then the format version.
    Format{0, "\x37\x7f\x06\x82\0\x2d\xe2\x18"sv, "an SQLite write-ahead log"},
    Format{0, "\x37\x7f\x06\x83\0\x2d\xe2\x18"sv, "an SQLite write-ahead log"},
    // "Database File Format", sqlite.org, section 3.
    Format{0, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"sv, "an SQLite journal"},
    Format{0, "\0\1\0\0Standard Jet DB"sv, "an Access database"},
    Format{0, "\0\1\0\0Standard ACE DB"sv, "an Access database"},
    // HDF5 File Format Specification, II.A: the signature may also follow a user block whose size is a power of two.
    Format{0, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file"},
    Format{512, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file"},
    Format{1024, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file"},
    Format{2048, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file"},
    Format{0, "PAR1"sv, "a Parquet file"},
    Format{0, "\x93NUMPY"sv, "a NumPy array"},
    Format{0, "!BDN"sv, "an Outlook mailbox"},
    Format{0, "PK\x03\x04"sv, "a zip archive or a document"},
    Format{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "a document"},
    Format{0, "%PDF-"sv, "a PDF document"},
    Format{0, "\x1f\x8b\x08"sv, "compressed by gzip"},
    Format{0, "BZh"sv, "compressed by bzip2"},
    Format{0, "7z\xbc\xaf\x27\x1c"sv, "a 7-Zip archive"},
    Format{0, "Rar!\x1a\x07"sv, "a RAR archive"},
    Format{0, "\xfd\x37zXZ"sv, "compressed by xz"},
    Format{0, "\x28\xb5\x2f\xfd"sv, "compressed by zstd"},
    Format{257, "ustar"sv, "a tar archive"},
    Format{0, "PACK\0\0\0\2"sv, "a git pack file"},
    Format{0, "PACK\0\0\0\3"sv, "a git pack file"},
    Format{0, "\x7f\x45LF"sv, "a program"},
    Format{0, "MZ\x90"sv, "a program"},
    Format{0, "\xff\xd8\xff"sv, "a picture"},
    Format{0, "\x89PNG\r\n"sv, "a picture"},
    Format{0, "GIF8"sv, "a picture"},
    Format{0, "II*\0"sv, "a picture"},
    Format{0, "MM\0*"sv, "a picture"},
    Format{4, "ftyp"sv, "a video or a picture"},
    Format{0, "RIFF"sv, "a video or a recording"},
    Format{0, "\x1a\x45\xdf\xa3"sv, "a video"},
    Format{0, "ID3"sv, "a recording"},
    Format{0, "fLaC"sv, "a recording"},
    Format{0, "OggS"sv, "a recording"},
    // pcap and pcapng, draft-ietf-opsawg-pcap and -pcapng: version 2.4 in either byte order, and the pcapng section
    // header block.
    Format{0, "\xd4\xc3\xb2\xa1\2\0\4\0"sv, "a network capture"},
    Format{0, "\xa1\xb2\xc3\xd4\0\2\0\4"sv, "a network capture"},
    Format{0, "\x4d\x3c\xb2\xa1\2\0\4\0"sv, "a network capture"},
    Format{0, "\xa1\xb2\x3c\x4d\0\2\0\4"sv, "a network capture"},
    Format{0, "\n\r\r\n"sv, "a network capture"},
    Format{0, "\x03\xd9\xa2\x9a"sv, "a password database"},
    Format{0, "FUJIFILMCCD-RAW "sv, "a raw camera picture"},
    Format{0, "IIU\0"sv, "a raw camera picture"}, // Panasonic
    Format{0, "IIRO"sv, "a raw camera picture"},  // Olympus
    Format{0, "IIRS"sv, "a raw camera picture"},
    Format{0, "MMOR"sv, "a raw camera picture"},
    Format{0, "8BPS\0"sv, "a picture"},
    Format{0, "\0\0\0\x0cjP  "sv, "a picture"},
    Format{0, "\0\0\0\x0cJXL "sv, "a picture"},
    Format{0, "AT&TFORM"sv, "a document"},
    Format{0, "FORM"sv, "a recording or a picture"},
    Format{0, "MThd\0\0\0\6"sv, "a recording"},
    Format{0, "FLV\1"sv, "a video"},
    Format{0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11"sv, "a video"},
    Format{0, "\0\0\1\xba"sv, "a video"},
    Format{0, "BLENDER"sv, "a document"},
    Format{0, "SIMPLE  ="sv, "a document"}, // FITS
    Format{0, "WithoutFreeSpace"sv, "a Parallels image"},
    Format{0, "WithouFreSpacExt"sv, "a Parallels image"},
    Format{0, "QED\0"sv, "a QED image"},
    Format{0, "COWD"sv, "a VMDK image"},
    Format{0, "Bochs Virtual HD Image"sv, "a Bochs image"},
    Format{0, "EVF\x09\x0d\x0a\xff\0"sv, "an EnCase image"},
    Format{0, "EVF2\x0d\x0a\x81\0"sv, "an EnCase image"},
    Format{0, "AFF10\r\n\0"sv, "an AFF image"},
    Format{0, "VMA\0\0\0\0\1"sv, "a backup by Proxmox"},
    Format{0, "PGDMP"sv, "a PostgreSQL dump"},
    Format{0, "GGUF"sv, "a language model"},
    Format{0, "age-encryption.org/v1"sv, "encrypted by age"},
    Format{0, "Salted__"sv, "encrypted by OpenSSL"},
    Format{0, "\x04\x22\x4d\x18"sv, "compressed by LZ4"},
    Format{0, "\x89LZO\0\r\n\x1a\n"sv, "compressed by lzop"},
    Format{0, "LZIP\1"sv, "compressed by lzip"},
    Format{0, "\x1f\x9d\x90"sv, "compressed by compress"},
    Format{0, "MSCF\0\0\0\0"sv, "a cabinet archive"},
    Format{0, "xar!"sv, "a xar archive"},
    Format{0, "!<arch>\n"sv, "an archive or a package"},
    Format{0, "070701"sv, "a cpio archive"},
    Format{0, "070702"sv, "a cpio archive"},
    Format{0, "070707"sv, "a cpio archive"},
    Format{0, "\xca\xfe\xba\xbe\0\0\0"sv, "a program"},
    Format{0, "\xcf\xfa\xed\xfe"sv, "a program"},
    Format{0, "\xce\xfa\xed\xfe"sv, "a program"},
    Format{0, "\0asm\1\0\0\0"sv, "a program"},
    // Live systems and packages store these read-only file systems as files. EROFS, cramfs and romfs are on media of
    // devices as well, where a confirmation permits erasing them like any file system.
    Format{0, "hsqs"sv, "a squashfs archive"},
    Format{0, "sqsh"sv, "a squashfs archive"},
    Format{0, "DWARFS\2"sv, "a DwarFS archive"}, // DwarFS, doc/dwarfs-format.md
    Format{0, "ZIM\x04"sv, "a ZIM archive"},     // openZIM, "ZIM file format"
    Format{0, "\xed\xab\xee\xdb"sv, "a package"},
    Format{0, "Cr24"sv, "a package"},
    Format{0, "\x3a\xff\x26\xed"sv, "a sparse image of Android"},
    Format{0, "ANDROID!"sv, "a boot image of Android"},
    Format{0, "\x27\x05\x19\x56"sv, "a boot image of U-Boot"},
    Format{0, "\xd0\x0d\xfe\xed"sv, "a device tree"},
    Format{0, "MComprHD"sv, "a compressed image of a game"},
    Format{0, "CISO"sv, "a compressed image of a game"},
    Format{0, "WBFS"sv, "a compressed image of a game"},
    Format{0, "WIA\1"sv, "a compressed image of a game"},
    Format{0, "RVZ\1"sv, "a compressed image of a game"},
    Format{0, "partclone-image"sv, "a backup by Partclone"},
    Format{0, "\0ntfsclone-image"sv, "a backup by ntfsclone"},
    Format{0, "xFSdump0"sv, "a backup by xfsdump"},
    Format{0, "btrfs-stream\0"sv, "a backup by btrfs send"},
    // OpenZFS, sys/zfs_ioctl.h: DMU_BACKUP_MAGIC in the first record of a stream.
    Format{8, "\xac\xcb\xba\xf5\x02\0\0\0"sv, "a backup by zfs send"},
    Format{24, "\x6c\xea\0\0"sv, "a backup by dump"},
    Format{0, "AC10"sv, "a drawing by AutoCAD"},
    Format{0, "bplist0"sv, "a property list of macOS"},
    Format{0, "ElfFile\0"sv, "an event log of Windows"},
    Format{0, "LPKSHHRH"sv, "a journal of systemd"},
    Format{0, "regf"sv, "a registry of Windows"},
    Format{0, "PAGEDU"sv, "a memory dump of Windows"},
    Format{0, "MDMP"sv, "a memory dump of Windows"},
    Format{0, "KDUMP   "sv, "a memory dump of Linux"},
    Format{0, "\x4c\0\0\0\x01\x14\x02\0"sv, "a shortcut of Windows"},
    Format{0, "ITSF\x03\0\0\0"sv, "a document"},
    Format{0, "gimp xcf "sv, "a picture"},
    Format{128, "DICM"sv, "a medical picture"},
    Format{0, "qoif"sv, "a picture"},
    Format{0, "\x76\x2f\x31\x01"sv, "a picture"}, // OpenEXR
    Format{0, "DDS \x7c\0\0\0"sv, "a picture"},
    Format{0, "wOF2"sv, "a font"},
    Format{0, "wOFF"sv, "a font"},
    Format{0, "OTTO\0"sv, "a font"},
    Format{0, "CDF\1"sv, "a NetCDF file"},
    Format{0, "CDF\2"sv, "a NetCDF file"},
    Format{0, "CDF\5"sv, "a NetCDF file"},
    Format{0, "MATLAB 5.0 MAT-file"sv, "a MATLAB file"},
    Format{0, "RDX2\n"sv, "a file of R"},
    Format{0, "RDX3\n"sv, "a file of R"},
    Format{0, "ORC\x08"sv, "an ORC file"},
    Format{0, "Obj\1\x04"sv, "an Avro file"},
    Format{0, "ARROW1\0\0"sv, "an Arrow file"},
    // lmdb, mdb.c: MDB_MAGIC in the first meta page, after a page header of 16 bytes, or 12 on 32-bit systems.
    Format{16, "\xde\xc0\xef\xbe\1\0\0\0"sv, "an LMDB database"},
    Format{12, "\xde\xc0\xef\xbe\1\0\0\0"sv, "an LMDB database"},
    Format{16, "\xbe\xef\xc0\xde\0\0\0\1"sv, "an LMDB database"},
    Format{0, "\x13\x57\x9a\xcd"sv, "a GDBM database"},
    Format{0, "\x13\x57\x9a\xce"sv, "a GDBM database"},
    Format{0, "\x13\x57\x9a\xcf"sv, "a GDBM database"},
    Format{0, "\xcf\x9a\x57\x13"sv, "a GDBM database"},
    Format{0, "\xce\x9a\x57\x13"sv, "a GDBM database"},
    Format{0, "TDB file\n"sv, "a TDB database"},
    Format{0, "mozLz40\0"sv, "a file of Firefox"},
    Format{0, "\x5d\0\0\x80\0\xff\xff\xff\xff"sv, "compressed by lzma"},
    Format{0, "LRZI\0"sv, "compressed by lrzip"},
    Format{7, "**ACE**"sv, "an ACE archive"},
    Format{2, "-lh5-"sv, "an LHA archive"},
    Format{0, "StuffIt (c)"sv, "a StuffIt archive"},
    Format{0, "SIT!\0"sv, "a StuffIt archive"},
};

std::vector<unsigned char> bytes_at(int file, std::uint64_t offset, std::size_t length) {
    std::vector<unsigned char> bytes(length);
    const ssize_t got = ::pread(file, bytes.data(), length, static_cast<off_t>(offset));
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
}

bool has(FileBytes bytes, std::size_t offset, std::string_view expected) {
    return offset + expected.size() <= bytes.size() &&
           std::ranges::equal(bytes.subspan(offset, expected.size()), expected,
                              [](unsigned char there, char mark) { return there == static_cast<unsigned char>(mark); });
}

/// Returns the format of the range [start, start + size) of a file if the range is not raw bytes of a medium; otherwise
/// null.
const char* foreign_title(int file, std::uint64_t start, std::uint64_t size) {
    constexpr std::uint64_t looked_at = 16384;
    constexpr std::size_t sector = 512;
    const std::vector<unsigned char> head = bytes_at(file, start, std::min(size, looked_at));
    for (const Format& format : formats)
        if (has(head, format.offset, format.begins)) return format.title;
    if (is_tar(head)) return "a tar archive";
    if (is_berkeley_db(head)) return "a Berkeley DB database";
    if (is_dbase(head, size)) return "a dBASE table";
    if (is_mp3(head)) return "a recording";
    if (is_transport_stream(head)) return "a video";
    if (is_text(head) || is_long_line(head)) return "a text file";
    if (size < sector) return nullptr;
    const std::vector<unsigned char> tail = bytes_at(file, start + size - sector, sector);
    const auto footer = recognise_container_footer(std::as_bytes(FileBytes(tail)), {size});
    if (!footer) return nullptr;
    if (footer->file_system == "vhd") return "a VHD image of fixed size";
    return footer->barrier == ContentBarrier::encrypted ? "an encrypted disk image of macOS"
                                                        : "a disk image of macOS (UDIF)";
}

} // namespace

Result<void> check_raw(int image, const std::string& name) {
    struct stat status {};
    if (::fstat(image, &status) != 0) return fail(Errc::io_failed, name + " could not be examined");
    const auto whole = static_cast<std::uint64_t>(status.st_size);
    const char* title = foreign_title(image, 0, whole);
    if (title == nullptr) return {};
    return fail(Errc::refused, fmt::format("{} is {} and not the image of a medium, and would be destroyed: name an "
                                           "image file, or remove it if it is not needed",
                                           name, title));
}

Result<void> check_raw_part(int image, const std::string& name, Bytes start, Bytes length) {
    if (auto raw = check_raw(image, name); !raw) return raw;
    const char* title = foreign_title(image, start.count, length.count);
    if (title == nullptr) return {};
    return fail(Errc::refused,
                fmt::format("{} contains {} at byte {}, which would be destroyed: name another medium, or remove it if "
                            "it is not needed",
                            name, title, start.count));
}

} // namespace mediarig::media
