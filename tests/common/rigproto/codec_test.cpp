// SPDX-License-Identifier: GPL-3.0-or-later
/// CRC, COBS and the search for frames in a damaged stream.
#include <random>
#include <string_view>
#include <vector>

#include "common/rigproto/codec.hpp"
#include "tests/catch.hpp"

using namespace mediarig::rigproto;
using mediarig::Crc32;
using mediarig::crc32;

namespace {

using Bytes = std::vector<std::uint8_t>;
using Outcome = Decoder::Outcome;

constexpr auto digits = std::array<std::uint8_t, 9>{'1', '2', '3', '4', '5', '6', '7', '8', '9'};
static_assert(crc32(digits) == 0xCBF43926); // the check value of the catalogue of CRCs
static_assert(crc32({}) == 0);

Bytes of(std::string_view text) {
    return {text.begin(), text.end()};
}

Bytes cobs(const Bytes& plain) {
    Bytes code(plain.size() + plain.size() / 254 + 1);
    code.resize(cobs_encode(plain, code));
    return code;
}

Bytes on_the_wire(const Frame& frame) {
    const auto encoded = encode(frame);
    return {encoded.span().begin(), encoded.span().end()};
}

Frame frame_of(std::size_t payload, unsigned seed) {
    std::mt19937 random(seed);
    Frame frame{.kind = static_cast<Kind>(random() % 6),
                .session = static_cast<std::uint16_t>(random()),
                .seq = static_cast<std::uint8_t>(random()),
                .op = static_cast<std::uint8_t>(random()),
                .size = static_cast<std::uint8_t>(payload)};
    // Many zeros, the special case of COBS.
    for (std::size_t i = 0; i < payload; ++i)
        frame.bytes[i] = static_cast<std::uint8_t>(random() % 3 == 0 ? 0 : random());
    return frame;
}

std::vector<Outcome> outcomes(Decoder& decoder, const Bytes& bytes) {
    std::vector<Outcome> all;
    for (const std::uint8_t byte : bytes)
        if (const Outcome outcome = decoder.feed(byte); outcome != Outcome::more) all.push_back(outcome);
    return all;
}

constexpr bool decodes_at_compile_time() {
    const Frame frame{.kind = Kind::request, .session = 0x1234, .seq = 1, .op = 4};
    Decoder decoder;
    Outcome last{};
    const auto encoded = encode(frame);
    for (const std::uint8_t byte : encoded.span()) last = decoder.feed(byte);
    return last == Outcome::frame && decoder.frame() == frame;
}
static_assert(decodes_at_compile_time());

} // namespace

TEST_CASE("CRC-32 agrees with published values in one piece and byte by byte") {
    struct Row {
        std::string_view text;
        std::uint32_t crc;
    };
    // Values given by zlib and gzip.
    const Row rows[] = {
        {"a", 0xE8B7BE43}, {"abc", 0x352441C2}, {"123456789", 0xCBF43926}, {"message digest", 0x20159D7F}};
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(crc32(of(row.text)) == row.crc);
        Crc32 piecewise;
        for (const std::uint8_t byte : of(row.text)) piecewise.add(byte);
        CHECK(piecewise.value() == row.crc);
    }
}

TEST_CASE("COBS agrees with published examples") {
    struct Row {
        Bytes plain, code;
    };
    Bytes long_run(254);
    for (std::size_t i = 0; i < long_run.size(); ++i) long_run[i] = static_cast<std::uint8_t>(i + 1);
    Bytes long_code{0xFF};
    long_code.insert(long_code.end(), long_run.begin(), long_run.end());
    const Row rows[] = {
        {{}, {0x01}},
        {{0x00}, {0x01, 0x01}},
        {{0x00, 0x00}, {0x01, 0x01, 0x01}},
        {{0x00, 0x11, 0x00}, {0x01, 0x02, 0x11, 0x01}},
        {{0x11, 0x22, 0x00, 0x33}, {0x03, 0x11, 0x22, 0x02, 0x33}},
        {{0x11, 0x00, 0x00, 0x00}, {0x02, 0x11, 0x01, 0x01, 0x01}},
        {long_run, long_code},
    };
    for (const Row& row : rows) CHECK(cobs(row.plain) == row.code);
}

TEST_CASE("COBS data of every length up to three blocks survives a round trip, and its encoding contains no zero") {
    std::mt19937 random(1);
    for (std::size_t size = 0; size <= 3 * 254 + 2; ++size) {
        for (const unsigned zeros : {0U, 2U, 50U}) {
            CAPTURE(size, zeros);
            Bytes plain(size);
            for (auto& byte : plain)
                byte = static_cast<std::uint8_t>(zeros != 0 && random() % zeros == 0 ? 0 : 1 + random() % 255);
            Bytes code = cobs(plain);
            REQUIRE(std::find(code.begin(), code.end(), 0) == code.end());
            code.push_back(0);
            CobsDecoder<1024> decoder;
            auto step = CobsDecoder<1024>::Step::more;
            for (const std::uint8_t byte : code) {
                REQUIRE(step == CobsDecoder<1024>::Step::more);
                step = decoder.feed(byte);
            }
            REQUIRE(step == CobsDecoder<1024>::Step::message);
            REQUIRE(Bytes(decoder.message().begin(), decoder.message().end()) == plain);
        }
    }
}

TEST_CASE("a frame survives a round trip for each payload length") {
    Decoder decoder;
    for (unsigned round = 0; round < 40; ++round)
        for (std::size_t size = 0; size <= max_payload; ++size) {
            CAPTURE(round, size);
            const Frame frame = frame_of(size, static_cast<unsigned>(round * 1000 + size));
            const Bytes wire = on_the_wire(frame);
            REQUIRE(wire.size() <= max_encoded);
            REQUIRE(wire.size() == size + header_size + check_size + 2);
            REQUIRE(outcomes(decoder, wire) == std::vector{Outcome::frame});
            REQUIRE(decoder.frame() == frame);
        }
}

TEST_CASE("the decoder finds the next frame after any damage") {
    const Frame good = frame_of(20, 7);
    const Bytes wire = on_the_wire(good);
    const Bytes no_delimiter(wire.begin(), wire.end() - 1);
    struct Row {
        const char* damage;
        Bytes before;
        std::vector<Outcome> said;
    };
    const Bytes too_long(300, 0x55);
    Bytes short_block = no_delimiter;
    short_block.pop_back();
    short_block.push_back(0);
    Bytes too_short = cobs({1, 2, 3, 4, 5, 6, 7, 8});
    too_short.push_back(0);
    Bytes long_end = too_long;
    long_end.push_back(0);
    Bytes full_block = cobs(Bytes(max_decoded + 1, 0x10));
    full_block.push_back(0);
    const Row rows[] = {
        {"none", {}, {}},
        {"several delimiters in a row", {0, 0, 0}, {}},
        {"a block that ends early", short_block, {Outcome::bad_cobs}},
        {"too short for a header", too_short, {Outcome::bad_crc}},
        {"too many bytes without a delimiter", long_end, {Outcome::too_long}},
        {"one byte more than a frame may hold", full_block, {Outcome::too_long}},
        {"a block without data", {1, 0}, {Outcome::bad_crc}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.damage);
        Decoder decoder;
        Bytes stream = row.before;
        stream.insert(stream.end(), wire.begin(), wire.end());
        auto expected = row.said;
        expected.push_back(Outcome::frame);
        CHECK(outcomes(decoder, stream) == expected);
        CHECK(decoder.frame() == good);
    }
}

TEST_CASE("a lost delimiter damages two frames, and the third frame is decoded") {
    Decoder decoder;
    const Frame third = frame_of(3, 12);
    Bytes stream = on_the_wire(frame_of(5, 10));
    stream.pop_back();
    for (const Frame& frame : {frame_of(6, 11), third}) {
        const Bytes wire = on_the_wire(frame);
        stream.insert(stream.end(), wire.begin(), wire.end());
    }
    const auto said = outcomes(decoder, stream);
    REQUIRE(said.size() == 2);
    CHECK(said[0] != Outcome::frame);
    CHECK(said[1] == Outcome::frame);
    CHECK(decoder.frame() == third);
}

TEST_CASE("a frame with any single flipped bit is refused") {
    const Frame frame = frame_of(11, 3);
    const Bytes wire = on_the_wire(frame);
    for (std::size_t bit = 0; bit < 8 * (wire.size() - 1); ++bit) {
        CAPTURE(bit);
        Bytes damaged = wire;
        damaged[bit / 8] = static_cast<std::uint8_t>(damaged[bit / 8] ^ 1U << bit % 8);
        Decoder decoder;
        for (const Outcome outcome : outcomes(decoder, damaged)) REQUIRE(outcome != Outcome::frame);
    }
}

TEST_CASE("a frame of another version or an unknown kind is reported separately from a damaged frame") {
    for (const std::uint8_t first : std::array<std::uint8_t, 4>{0x20, 0x00, 0x16, 0x1F}) {
        CAPTURE(first);
        Bytes plain{first, 0x34, 0x12, 1, 4};
        const std::uint32_t check = crc32(plain);
        for (unsigned shift = 0; shift < 32; shift += 8) plain.push_back(static_cast<std::uint8_t>(check >> shift));
        Bytes wire = cobs(plain);
        wire.push_back(0);
        Decoder decoder;
        CHECK(outcomes(decoder, wire) == std::vector{Outcome::unknown});
    }
}

TEST_CASE("random bytes are never accepted as a frame and never hide a valid frame") {
    std::mt19937 random(99);
    const Frame good = frame_of(40, 5);
    Decoder decoder;
    for (int round = 0; round < 2000; ++round) {
        Bytes noise(random() % 300);
        for (auto& byte : noise) byte = static_cast<std::uint8_t>(random());
        for (const Outcome outcome : outcomes(decoder, noise)) REQUIRE(outcome != Outcome::frame);
        (void)decoder.feed(0);
        REQUIRE(outcomes(decoder, on_the_wire(good)) == std::vector{Outcome::frame});
        REQUIRE(decoder.frame() == good);
    }
}
