// SPDX-License-Identifier: GPL-3.0-or-later
/// A valuable file is never mistaken for the bytes of a medium, and the bytes of a medium are never mistaken for such a
/// file.
#include "host/media/claim/image/foreign_structure.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "host/base/descriptor.hpp"
#include "host/base/process/run_process.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace std::string_literals;
namespace fs = std::filesystem;

namespace {

/// "a tar archive" for a file refused as a tar archive, "" for a file that may contain the bytes of a medium.
std::string judged(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    REQUIRE(file);
    const auto raw = check_raw(file.get(), "x");
    if (raw) return "";
    CHECK(raw.error().code == Errc::refused);
    const std::string text = raw.error().detail;
    return text.substr(5, text.find(" and not the image of a medium") - 5);
}

/// Result for a file of 64 KiB with this start, this end and meaningless bytes between them.
std::string judged(const std::string& head, const std::string& tail) {
    const tests::Scratch folder;
    static const std::string meaningless = [] {
        std::string bytes(65536, '\0');
        std::mt19937 random(4711);
        for (char& byte : bytes) byte = static_cast<char>(random());
        return bytes;
    }();
    std::string bytes = meaningless;
    bytes.replace(0, head.size(), head);
    bytes.replace(bytes.size() - tail.size(), tail.size(), tail);
    std::ofstream(folder / "file") << bytes;
    return judged(folder / "file");
}

std::string as_bytes(std::uint64_t value, int length) {
    std::string bytes;
    for (int i = 0; i < length; ++i) bytes += static_cast<char>(value >> (8 * i));
    return bytes;
}

bool made_by(std::vector<std::string> words) {
    const std::string program = words.front();
    words.erase(words.begin());
    const auto finished = process::run_process({.program = program, .arguments = std::move(words)});
    return finished && finished->exit_status == 0;
}

/// Two fields, NAME of 20 characters and AMOUNT of 8 digits.
std::string dbase_table(std::uint64_t record_length) {
    std::string head = "\x03\x7e\x0b\x1a"s + as_bytes(3, 4) + as_bytes(32 + 2 * 32 + 1, 2) + as_bytes(record_length, 2);
    head.resize(32);
    head += "NAME"s + std::string(7, '\0') + "C"s + std::string(4, '\0') + "\x14"s + std::string(15, '\0');
    head += "AMOUNT"s + std::string(5, '\0') + "N"s + std::string(4, '\0') + "\x08"s + std::string(15, '\0');
    return head + "\r";
}

/// Frames of 128 kbit/s and 44.1 kHz: 417 bytes each.
std::string mp3_frames(int frames) {
    std::string bytes;
    for (int i = 0; i < frames; ++i) bytes += "\xff\xfb\x90\x64"s + std::string(413, 'a');
    return bytes;
}

} // namespace

TEST_CASE("foreign files are recognised by a signature at their start") {
    CHECK(judged("MSWIM\0\0\0"s, "") == "a WIM image");
    CHECK(judged("\xb4\x6e\x68\x44"s, "") == "a backup by Acronis");
    CHECK(judged("\0\1\0\0Standard Jet DB\0"s, "") == "an Access database");
    CHECK(judged("\0\1\0\0Standard ACE DB\0"s, "") == "an Access database");
    CHECK(judged("\x89HDF\r\n\x1a\n"s, "") == "an HDF5 file");
    CHECK(judged(std::string(512, '\0') + "\x89HDF\r\n\x1a\n"s, "") == "an HDF5 file");
    CHECK(judged("PAR1", "") == "a Parquet file");
    CHECK(judged("\x93NUMPY\1\0"s, "") == "a NumPy array");
    CHECK(judged("!BDN", "") == "an Outlook mailbox");
    CHECK(judged("PACK\0\0\0\2"s, "") == "a git pack file");
    CHECK(judged("\xd4\xc3\xb2\xa1\2\0\4\0"s, "") == "a network capture");
    CHECK(judged("\n\r\r\n", "") == "a network capture");
}

TEST_CASE("squashfs files, packages, drawings, logs and databases are recognised by a signature") {
    CHECK(judged("hsqs", "") == "a squashfs archive");
    CHECK(judged("\xed\xab\xee\xdb\3\0"s, "") == "a package");
    for (const char* const version : {"AC1032", "AC1027", "AC1015"})
        CHECK(judged(version, "") == "a drawing by AutoCAD");
    CHECK(judged("ElfFile\0"s, "") == "an event log of Windows");
    CHECK(judged("LPKSHHRH", "") == "a journal of systemd");
    CHECK(judged("bplist00", "") == "a property list of macOS");
    CHECK(judged("MComprHD", "") == "a compressed image of a game");
    CHECK(judged(std::string(16, '\0') + "\xde\xc0\xef\xbe\1\0\0\0"s, "") == "an LMDB database");
    CHECK(judged("\xce\x9a\x57\x13", "") == "a GDBM database");
    CHECK(judged("partclone-image", "") == "a backup by Partclone");
    // A mark at another place is contents of a medium.
    CHECK(judged(std::string(8, '\0') + "hsqs"s, "").empty());
    CHECK(judged(std::string(512, '\0') + "\xde\xc0\xef\xbe\1\0\0\0"s, "").empty());
}

TEST_CASE("one long line of text is recognised as text, but a repeated pattern is not") {
    std::string numbers = "[";
    for (int i = 0; numbers.size() < 20'000; ++i) numbers += std::to_string(i) + ", ";
    CHECK(judged(numbers, "") == "a text file");
    CHECK(judged(std::string(20'000, 'U'), "").empty());
    std::string pattern;
    while (pattern.size() < 20'000) pattern += "mediarig";
    CHECK(judged(pattern, "").empty());
}

TEST_CASE("packets of a video stream are recognised by their distance") {
    for (const std::size_t stamp : {std::size_t{0}, std::size_t{4}}) {
        std::string stream;
        for (int packet = 0; packet < 40; ++packet)
            stream += std::string(stamp, '\1') + 'G' + std::string(187, static_cast<char>(packet));
        CHECK(judged(stream, "") == "a video");
        CHECK(judged("x" + stream, "").empty());
    }
    CHECK(judged(std::string(16'384, 'G'), "").empty());
}

TEST_CASE("camera pictures, images and archives are recognised by a signature") {
    CHECK(judged("FUJIFILMCCD-RAW 0201", "") == "a raw camera picture");
    CHECK(judged("IIU\0\x18\0\0\0"s, "") == "a raw camera picture");
    CHECK(judged("IIRO\x08\0\0\0"s, "") == "a raw camera picture");
    CHECK(judged("8BPS\0\1"s, "") == "a picture");
    CHECK(judged("WithoutFreeSpace", "") == "a Parallels image");
    CHECK(judged("EVF\x09\x0d\x0a\xff\0"s, "") == "an EnCase image");
    CHECK(judged("PGDMP", "") == "a PostgreSQL dump");
    CHECK(judged("070701", "") == "a cpio archive");
    CHECK(judged("Salted__", "") == "encrypted by OpenSSL");
}

TEST_CASE("a file in the format of another program is not accepted as an image") {
    const tests::Scratch folder;
    std::ofstream(folder / "letter.txt") << std::string(3000, 'x');
    REQUIRE(made_by({"tar", "--format=v7", "-cf", folder / "v7.tar", "-C", folder / "", "letter.txt"}));
    CHECK(judged(folder / "v7.tar") == "a tar archive");
    REQUIRE(made_by({"qemu-img", "create", "-q", "-f", "vpc", "-o", "subformat=fixed", folder / "disk.vhd", "8M"}));
    CHECK(judged(folder / "disk.vhd") == "a VHD image of fixed size");
    REQUIRE(made_by({"sqlite3", folder / "notes.db", "PRAGMA journal_mode=wal; create table note(text)",
                     ".system cp \"" + folder.path("notes.db-wal") + "\" \"" + folder.path("copy") + "\""}));
    CHECK(judged(folder.path("copy")) == "an SQLite write-ahead log");
}

TEST_CASE("a disk image with its header at the end of the file is recognised by this header") {
    CHECK(judged("", "koly\0\0\0\4\0\0\2\0"s + std::string(500, '\0')) == "a disk image of macOS (UDIF)");
    CHECK(judged("", "koly"s + std::string(508, '\0')).empty());
    // The checksum of a footer is wrong, or belongs to another file.
    CHECK(judged("", "conectix"s + std::string(504, '\0')).empty());
    const tests::Scratch folder;
    REQUIRE(made_by({"qemu-img", "create", "-q", "-f", "vpc", "-o", "subformat=fixed", folder / "disk.vhd", "8M"}));
    fs::resize_file(folder / "disk.vhd", fs::file_size(folder / "disk.vhd") + 512);
    CHECK(judged(folder / "disk.vhd").empty());
}

TEST_CASE("16-bit text is recognised in either byte order") {
    for (const bool little : {true, false}) {
        std::string bytes = little ? "\xff\xfe"s : "\xfe\xff"s;
        for (int line = 0; line < 20; ++line)
            for (const char letter : "Sehr geehrte Damen\n"s) {
                if (!little) bytes += '\0';
                bytes += letter;
                if (little) bytes += '\0';
            }
        CHECK(judged(bytes, "") == "a text file");
        // The following bytes contain only the first part of a signature.
        CHECK(judged(bytes.substr(0, 2), "").empty());
        CHECK(judged(bytes.substr(0, 2) + std::string(510, '\0'), "").empty());
    }
}

TEST_CASE("tables, databases and recordings with a weak signature are recognised by consistent fields") {
    CHECK(judged(dbase_table(1 + 20 + 8), "") == "a dBASE table");
    CHECK(judged(dbase_table(1 + 20 + 9), "").empty());
    for (const bool little : {true, false}) {
        const auto number = [&](std::uint64_t value) {
            std::string bytes = as_bytes(value, 4);
            return little ? bytes : std::string(bytes.rbegin(), bytes.rend());
        };
        CHECK(judged(std::string(12, '\0') + number(0x053162) + number(9) + number(4096), "") ==
              "a Berkeley DB database");
        CHECK(judged(std::string(12, '\0') + number(0x053162) + number(9) + number(4095), "").empty());
    }
    CHECK(judged(mp3_frames(4), "") == "a recording");
    CHECK(judged(mp3_frames(3), "").empty());
}

TEST_CASE("the contents of a medium are never recognised as a foreign file") {
    const tests::Scratch folder;
    for (const std::vector<std::string>& make : std::vector<std::vector<std::string>>{
             {"mkfs.vfat"}, {"mkfs.exfat"}, {"mkfs.ext4", "-q", "-F"}, {"mkntfs", "-q", "-F"}}) {
        const std::string image = folder / make.front();
        std::ofstream(image).flush();
        fs::resize_file(image, 64 << 20);
        std::vector<std::string> words = make;
        words.push_back(image);
        INFO(make.front());
        REQUIRE(made_by(words));
        CHECK(judged(image).empty());
    }
    // Media filled with one byte, including bytes of weak signatures, and with random bytes after such a signature.
    for (int byte = 0; byte < 256; ++byte) {
        INFO(byte);
        const char one = static_cast<char>(byte);
        const std::string filled(65536, one);
        CHECK(judged(filled, "").empty());
        CHECK(judged(std::string(1, one), "").empty());
        CHECK(judged(std::string(2, one), "").empty());
    }
    CHECK(judged("\xff\xfb\x90\x64"s, "").empty());
}
