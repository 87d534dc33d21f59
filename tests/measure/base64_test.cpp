// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/encoding.hpp"

#include <numeric>

#include "tests/catch.hpp"

using namespace mediarig::measure;

namespace {

std::vector<std::uint8_t> bytes_of(const std::string& text) {
    return {text.begin(), text.end()};
}
std::string encoded(const std::vector<std::uint8_t>& bytes) {
    std::string text;
    encode_base64(bytes, text);
    return text;
}

} // namespace

TEST_CASE("base64: encodes and decodes the test vectors of RFC 4648, section 10") {
    const std::pair<const char*, const char*> rows[] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
    };
    for (const auto& [plain, text] : rows) {
        CAPTURE(plain);
        CHECK(encoded(bytes_of(plain)) == text);
        CHECK(decode_base64(text) == bytes_of(plain));
    }
}

TEST_CASE("base64: every byte survives a round trip at every position, and the text is appended") {
    std::vector<std::uint8_t> bytes(256);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
    for (int shift = 0; shift < 3; ++shift, bytes.push_back(0xFF)) CHECK(decode_base64(encoded(bytes)) == bytes);
    std::string text = "data:";
    encode_base64(bytes_of("foo"), text);
    CHECK(text == "data:Zm9v");
}

TEST_CASE("base64: invalid text is refused") {
    for (const char* text : {"Z", "Zg", "Zg=", "====", "Z===", "Zh==", "Zm9=", "Zm9v\n", "Zm 9",
                             "Zm9v=Zg=", "Zg==Zg==", "Zm-_", "\xff\xff\xff\xff"}) {
        CAPTURE(text);
        CHECK_FALSE(decode_base64(text));
    }
}
