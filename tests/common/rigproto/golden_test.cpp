// SPDX-License-Identifier: GPL-3.0-or-later
/// The golden frames: one text file for both ends, for readers of the protocol and for other languages.
#include <sstream>

#include "common/rigproto/codec.hpp"
#include "tests/catch.hpp"
#include "tests/common/rigproto/golden_frames.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::rigproto;

namespace {

struct Line {
    std::string name, wire, plain, meaning;
};

std::vector<Line> golden_lines() {
    std::istringstream file(tests::text_of(MEDIARIG_GOLDEN_DIR "/rigproto/frames.txt"));
    std::vector<Line> lines;
    for (std::string text; std::getline(file, text);) {
        if (text.empty() || text[0] == '#') continue;
        Line line;
        std::istringstream columns(text);
        columns >> line.name >> line.wire >> line.plain;
        std::getline(columns >> std::ws, line.meaning);
        lines.push_back(line);
    }
    return lines;
}

std::string hex(std::span<const std::uint8_t> bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t byte : bytes) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

std::vector<std::uint8_t> bytes_of(const std::string& text) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2)
        bytes.push_back(static_cast<std::uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
    return bytes;
}

} // namespace

TEST_CASE("each golden frame is encoded and decoded exactly") {
    const auto lines = golden_lines();
    const auto frames = tests::golden_frames();
    REQUIRE(lines.size() == frames.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        CAPTURE(lines[i].name);
        CHECK(lines[i].name == frames[i].name);
        const auto encoded = encode(frames[i].frame);
        CHECK(lines[i].wire == hex(encoded.span()));
        CHECK_FALSE(lines[i].meaning.empty());
        Decoder decoder;
        auto outcome = Decoder::Outcome::more;
        for (const std::uint8_t byte : bytes_of(lines[i].wire)) {
            REQUIRE(outcome == Decoder::Outcome::more);
            outcome = decoder.feed(byte);
        }
        REQUIRE(outcome == Decoder::Outcome::frame);
        CHECK(decoder.frame() == frames[i].frame);
    }
}

TEST_CASE("the golden frames contain every operation, event kind and frame kind") {
    std::vector<bool> operations(256), events(256), kinds(16);
    for (const auto& [name, frame] : tests::golden_frames()) {
        kinds[static_cast<std::size_t>(frame.kind)] = true;
        if (frame.kind == Kind::request) operations[frame.op] = true;
        if (frame.kind == Kind::event) events[frame.op] = true;
    }
    for (std::size_t op = 0x01; op <= 0x0A; ++op) CHECK(operations[op]);
    for (std::size_t op = 0x10; op <= 0x1B; ++op) CHECK(operations[op]);
    for (std::size_t event = 1; event <= static_cast<std::size_t>(EventKind::lease_lost); ++event) CHECK(events[event]);
    for (std::size_t kind = 0; kind <= static_cast<std::size_t>(last_kind); ++kind) CHECK(kinds[kind]);
}
