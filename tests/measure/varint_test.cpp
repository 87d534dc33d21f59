// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/encoding.hpp"

#include <random>

#include "tests/catch.hpp"

using namespace mediarig::measure;

namespace {

std::vector<std::uint8_t> encoded_varints(const std::vector<std::uint32_t>& samples) {
    std::vector<std::uint8_t> bytes;
    encode_varints(samples, bytes);
    return bytes;
}

/// The format of the header comment, one byte at a time: the reference for the fast code.
std::vector<std::uint8_t> encoded_plainly(const std::vector<std::uint32_t>& samples) {
    std::vector<std::uint8_t> bytes;
    for (std::uint32_t value : samples) {
        for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<std::uint8_t>(value | 0x80));
        bytes.push_back(static_cast<std::uint8_t>(value));
    }
    return bytes;
}

} // namespace

TEST_CASE("variable-length integers: each width has the documented encoding") {
    struct Row {
        std::uint32_t value;
        std::vector<std::uint8_t> bytes;
    };
    const Row rows[] = {
        {0, {0x00}},
        {1, {0x01}},
        {0x7F, {0x7F}},
        {0x80, {0x80, 0x01}},
        {300, {0xAC, 0x02}},
        {0x3FFF, {0xFF, 0x7F}},
        {0x4000, {0x80, 0x80, 0x01}},
        {2'000'000, {0x80, 0x89, 0x7A}}, // 2 ms: the last round number of three bytes
        {0x1F'FFFF, {0xFF, 0xFF, 0x7F}},
        {0x20'0000, {0x80, 0x80, 0x80, 0x01}},
        {0xFFF'FFFF, {0xFF, 0xFF, 0xFF, 0x7F}},
        {0x1000'0000, {0x80, 0x80, 0x80, 0x80, 0x01}},
        {0xFFFF'FFFF, {0xFF, 0xFF, 0xFF, 0xFF, 0x0F}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.value);
        CHECK(encoded_varints({row.value}) == row.bytes);
        CHECK(decode_varints(row.bytes) == std::vector{row.value});
    }
}

TEST_CASE("variable-length integers: the values at both sides of each width boundary survive a round trip") {
    std::vector<std::uint32_t> samples;
    for (unsigned bit = 0; bit < 32; ++bit)
        for (const std::int64_t offset : {-1, 0, 1})
            samples.push_back(static_cast<std::uint32_t>((std::int64_t{1} << bit) + offset));
    CHECK(encoded_varints(samples) == encoded_plainly(samples));
    CHECK(decode_varints(encoded_varints(samples)) == samples);
}

TEST_CASE(
    "variable-length integers: the encoding equals that of a simple encoder for any length, and is appended to the "
    "output") {
    std::mt19937 random(7);
    for (const std::size_t length : {0u, 1u, 2u, 511u, 512u, 513u, 8191u, 8192u}) {
        CAPTURE(length);
        std::vector<std::uint32_t> samples(length);
        for (std::uint32_t& sample : samples) sample = static_cast<std::uint32_t>(random()) >> (random() % 32);
        CHECK(encoded_varints(samples) == encoded_plainly(samples));
        CHECK(decode_varints(encoded_varints(samples)) == samples);

        std::vector<std::uint8_t> appended{0x2A};
        encode_varints(samples, appended);
        CHECK(appended.size() == encoded_varints(samples).size() + 1);
        CHECK(appended.front() == 0x2A);
    }
}

TEST_CASE("variable-length integers: invalid bytes are refused") {
    struct Row {
        const char* why;
        std::vector<std::uint8_t> bytes;
    };
    const Row rows[] = {
        {"ends in the middle of a number", {0x80}},
        {"ends in the middle of a number", {0x01, 0xFF, 0xFF}},
        {"ends in the middle of a number", {1, 2, 3, 4, 5, 6, 7, 8, 0x80, 0x80, 0x80, 0x80}},
        {"more than 32 bits", {0xFF, 0xFF, 0xFF, 0xFF, 0x10}},
        {"more than 32 bits", {0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 1, 1, 1, 1}},
        {"more than five bytes", {0x80, 0x80, 0x80, 0x80, 0x80, 0x00}},
        {"more than five bytes", {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.why, row.bytes);
        CHECK_FALSE(decode_varints(row.bytes));
    }
    CHECK_FALSE(decode_varints(encoded_varints({1, 2, 3}), 2));
    CHECK(decode_varints(encoded_varints({1, 2, 3}), 3));
    CHECK_FALSE(decode_varints(encoded_varints(std::vector<std::uint32_t>(samples_per_chunk + 1))));
    CHECK(decode_varints({}) == std::vector<std::uint32_t>{});
}

TEST_CASE("variable-length integers: a latency below 2 ms takes three bytes") {
    std::mt19937 random(1);
    std::vector<std::uint32_t> samples(8192);
    for (std::uint32_t& sample : samples) sample = 100'000 + static_cast<std::uint32_t>(random()) % 1'900'000;
    CHECK(encoded_varints(samples).size() == 3 * samples.size());
}
