// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/vmlinux.hpp"

#include <lzma.h>

#include <stdlib.h>

#include <cstdint>
#include <filesystem>

#include "host/base/process/run_process.hpp"
#include "host/lab/image/elf_dependencies.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::lab;

namespace {

/// Packed as the kernel packs itself: an x86 filter before LZMA2.
std::string pack(const std::string& kernel) {
    lzma_options_lzma options;
    REQUIRE_FALSE(lzma_lzma_preset(&options, 6));
    lzma_filter filters[] = {{LZMA_FILTER_X86, nullptr}, {LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
    std::string packed(lzma_stream_buffer_bound(kernel.size()), '\0');
    std::size_t size = 0;
    REQUIRE(lzma_stream_buffer_encode(filters, LZMA_CHECK_CRC32, nullptr,
                                      reinterpret_cast<const std::uint8_t*>(kernel.data()), kernel.size(),
                                      reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size()) == LZMA_OK);
    packed.resize(size);
    return packed;
}

std::string kernel_of(std::size_t size) {
    std::string kernel =
        "\x7F"
        "ELF";
    while (kernel.size() < size) kernel += std::to_string(kernel.size() * 2654435761U);
    return kernel;
}

/// A kernel package of an earlier build in the user's cache, or an empty path.
std::filesystem::path cached_kernel_package() {
    const char* home = std::getenv("HOME");
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(
             std::filesystem::path(home == nullptr ? "" : home) / ".cache/mediarig/lab/packages", none))
        if (entry.path().filename().string().starts_with("linux-image-")) return entry.path();
    return {};
}

} // namespace

TEST_CASE("Debian's kernel is extracted from its package with its PVH entry") {
    const auto package = cached_kernel_package();
    if (package.empty()) MEDIARIG_SKIP("no kernel package in the cache; 'mediarig lab build' fetches one");
    if (!process::find_program("readelf")) MEDIARIG_SKIP("no readelf on this machine");
    const tests::Scratch folder;
    const auto unpacked = process::run_process(
        {.program = "sh",
         .arguments = {"-c", "dpkg-deb --fsys-tarfile \"$0\" | tar -xO --wildcards './boot/vmlinuz-*' >\"$1/vmlinuz\"",
                       package.string(), folder.path()},
         .time_limit = std::chrono::minutes(4)});
    const std::string image = tests::text_of(folder / "vmlinuz");
    const auto kernel = extract_vmlinux(image);
    const auto notes = process::run_process(
        {.program = "readelf", .arguments = {"-nW", folder.write("vmlinux", kernel.value_or(""))}});

    REQUIRE(reason(unpacked) == "success");
    REQUIRE(reason(kernel) == "success");
    CHECK(kernel->size() > image.size());
    CHECK(reason(elf_dependencies(*kernel)) == "success");
    // PVH: the note XEN_ELFNOTE_PHYS32_ENTRY, number 18.
    REQUIRE(reason(notes) == "success");
    CHECK_THAT(notes->out, ContainsSubstring("Xen"));
    CHECK_THAT(notes->out, ContainsSubstring("0x00000012"));
}

TEST_CASE("the kernel is extracted from its image with any bytes around it") {
    const std::string kernel = kernel_of(700'000);
    const auto found = extract_vmlinux("MZ a decompressor " + pack(kernel) + "what the linker put behind it");
    REQUIRE(reason(found) == "success");
    CHECK(*found == kernel);
}

TEST_CASE("an invalid kernel image is refused with a reason") {
    const std::string packed = pack(kernel_of(100'000));
    CHECK_THAT(reason(extract_vmlinux("")), ContainsSubstring("contains no XZ stream"));
    CHECK_THAT(reason(extract_vmlinux("zstd or gzip")), ContainsSubstring("contains no XZ stream"));
    CHECK(reason(extract_vmlinux("12345" + packed.substr(0, packed.size() / 2))) ==
          "the XZ stream at byte 5 of the kernel image is damaged");
    std::string flipped = packed;
    flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 1);
    CHECK(reason(extract_vmlinux(flipped)) == "the XZ stream at byte 0 of the kernel image is damaged");
    CHECK(reason(extract_vmlinux(pack("a text"))) == "the XZ stream at byte 0 of the kernel image is not an ELF file");
    CHECK(reason(extract_vmlinux(packed, Bytes{50'000})) == "the XZ stream at byte 0 of the kernel image is damaged");
}
