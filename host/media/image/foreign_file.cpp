// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/image/foreign_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "host/media/image/foreign_structure.hpp"

namespace mediarig::media {
namespace {

using namespace std::string_view_literals;

struct Format {
    std::size_t offset;
    std::string_view begins;
    const char* title;
};

/// As the magic files of file(1) have them; where that has none, the format's own description, named beside it.
constexpr std::array formats{
    Format{0, "QFI\xfb"sv, "a qcow2 image"},
    Format{0, "vhdxfile"sv, "a VHDX image"},
    Format{0, "conectix"sv, "a VHD image"},
    Format{0, "KDMV"sv, "a VMDK image"},
    Format{0x40, "\x7f\x10\xda\xbe"sv, "a VDI image"},
    Format{0, "MSWIM\0\0\0"sv, "a WIM image"},
    // Acronis True Image, by the list of signatures of G. Kessler.
    Format{0, "\xb4\x6e\x68\x44"sv, "a backup by Acronis"},
    Format{0, "\xce\x24\xb9\xa2\x20\0\0\0"sv, "a backup by Acronis"},
    Format{0, "SQLite format 3"sv, "an SQLite database"},
    // "WAL-mode File Format", sqlite.org: either order of the checksums, then the version of the format.
    Format{0, "\x37\x7f\x06\x82\0\x2d\xe2\x18"sv, "a log of an SQLite database"},
    Format{0, "\x37\x7f\x06\x83\0\x2d\xe2\x18"sv, "a log of an SQLite database"},
    // "Database File Format", sqlite.org, 3.
    Format{0, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"sv, "a journal of an SQLite database"},
    Format{0, "\0\1\0\0Standard Jet DB"sv, "an Access database"},
    Format{0, "\0\1\0\0Standard ACE DB"sv, "an Access database"},
    // HDF5 File Format Specification, II.A: after a user block of a power of two as well.
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
    Format{0, "PACK\0\0\0\2"sv, "a pack of git"},
    Format{0, "PACK\0\0\0\3"sv, "a pack of git"},
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
    // pcap and pcapng, draft-ietf-opsawg-pcap and -pcapng: the version 2.4 in either order; a section's block.
    Format{0, "\xd4\xc3\xb2\xa1\2\0\4\0"sv, "a capture of a network"},
    Format{0, "\xa1\xb2\xc3\xd4\0\2\0\4"sv, "a capture of a network"},
    Format{0, "\x4d\x3c\xb2\xa1\2\0\4\0"sv, "a capture of a network"},
    Format{0, "\xa1\xb2\x3c\x4d\0\2\0\4"sv, "a capture of a network"},
    Format{0, "\n\r\r\n"sv, "a capture of a network"},
    Format{0, "\x03\xd9\xa2\x9a"sv, "a store of passwords"},
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

/// What the part [start, start + size) of a file is, where it is no medium's bytes; else null.
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
    if (is_text(head)) return "a text";
    if (size < sector) return nullptr;
    const std::vector<unsigned char> tail = bytes_at(file, start + size - sector, sector);
    if (is_vhd_footer(tail, size)) return "a VHD image of fixed size";
    // The trailer of a UDIF image: version 4, 512 bytes long, as file(1) has it.
    if (has(tail, 0, "koly\0\0\0\4\0\0\2\0"sv)) return "a disk image of macOS (UDIF)";
    return nullptr;
}

} // namespace

Result<void> check_raw(int image, const std::string& name) {
    struct stat status {};
    if (::fstat(image, &status) != 0) return fail(Errc::io_failed, name + " could not be looked at");
    const auto whole = static_cast<std::uint64_t>(status.st_size);
    const char* title = foreign_title(image, 0, whole);
    if (title == nullptr) return {};
    return fail(Errc::refused,
                fmt::format("{} is {} and no medium's bytes, and would be destroyed: name an image file, "
                            "or remove it if it is not needed",
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
