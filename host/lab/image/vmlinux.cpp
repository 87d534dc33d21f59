// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/vmlinux.hpp"

#include <fmt/format.h>
#include <lzma.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace mediarig::lab {
namespace {

constexpr std::string_view xz_magic{
    "\xFD"
    "7zXZ\0",
    6};
constexpr std::string_view elf_magic{
    "\x7F"
    "ELF"};

/// Frees the decoder on every path.
class Decoder {
public:
    Decoder() { good_ = lzma_stream_decoder(&stream, UINT64_MAX, 0) == LZMA_OK; }
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;
    ~Decoder() { lzma_end(&stream); }
    [[nodiscard]] bool good() const { return good_; }

    lzma_stream stream = LZMA_STREAM_INIT;

private:
    bool good_{};
};

/// Returns nothing if the stream is damaged, ends early, or is longer than `most`.
std::optional<std::string> decode(std::string_view packed, Bytes most) {
    Decoder decoder;
    if (!decoder.good()) return std::nullopt;
    static_assert(sizeof(char) == sizeof(std::uint8_t));
    decoder.stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
    decoder.stream.avail_in = packed.size();
    std::string out;
    std::array<std::uint8_t, 1 << 16> piece;
    while (true) {
        decoder.stream.next_out = piece.data();
        decoder.stream.avail_out = piece.size();
        const lzma_ret state = lzma_code(&decoder.stream, LZMA_FINISH);
        out.append(reinterpret_cast<const char*>(piece.data()), piece.size() - decoder.stream.avail_out);
        if (out.size() > most.count) return std::nullopt;
        if (state == LZMA_STREAM_END) return out;
        if (state != LZMA_OK) return std::nullopt;
    }
}

} // namespace

Result<std::string> extract_vmlinux(std::string_view image, Bytes most) {
    const std::size_t start = image.find(xz_magic);
    if (start == std::string_view::npos)
        return fail(Errc::bad_format, "the kernel image contains no XZ stream: this kernel uses another compression");
    auto kernel = decode(image.substr(start), most);
    if (!kernel)
        return fail(Errc::bad_format, fmt::format("the XZ stream at byte {} of the kernel image is damaged", start));
    if (!kernel->starts_with(elf_magic))
        return fail(Errc::bad_format,
                    fmt::format("the XZ stream at byte {} of the kernel image is not an ELF file", start));
    return std::move(*kernel);
}

} // namespace mediarig::lab
