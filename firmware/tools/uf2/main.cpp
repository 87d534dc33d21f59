// SPDX-License-Identifier: GPL-3.0-or-later
/// uf2_writer BINARY UF2: converts a flat binary that begins at 0x10000000 to a file for a Pico.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

#include "firmware/tools/uf2/uf2.hpp"

namespace {

mediarig::Result<std::vector<std::uint8_t>> read(const char* path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
    if (!file) return mediarig::fail(mediarig::Errc::io_failed, std::string(path) + " cannot be read");
    return bytes;
}

int complain(const mediarig::Error& error) {
    std::fprintf(stderr, "uf2_writer: %s\n", error.detail.c_str());
    return mediarig::exit_status(error.code);
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("usage: uf2_writer BINARY UF2\n", stderr);
        return 2;
    }
    auto binary = read(argv[1]);
    if (!binary) return complain(binary.error());
    const auto image = mediarig::uf2::seal(std::move(*binary));
    if (!image) return complain(image.error());
    const auto blocks = mediarig::uf2::to_blocks(*image);
    std::ofstream file(argv[2], std::ios::binary | std::ios::trunc);
    std::copy(blocks.begin(), blocks.end(), std::ostreambuf_iterator<char>(file));
    file.close();
    if (!file) return complain({mediarig::Errc::io_failed, std::string(argv[2]) + " cannot be written"});
    return 0;
}
