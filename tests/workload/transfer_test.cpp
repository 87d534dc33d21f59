// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the system call of the measured loop on this system and processor.
#include "host/workload/io/platform/transfer.hpp"

#include <array>
#include <cstdio>
#include <memory>

#include "tests/catch.hpp"

using namespace mediarig::workload;

TEST_CASE("a transfer reads and writes bytes at the given offset, also beyond 4 GiB") {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
    REQUIRE(file);
    const int fd = ::fileno(file.get());
    constexpr std::uint64_t far = (std::uint64_t{5} << 30) + 3;
    std::array<std::byte, 1000> sent{}, got{};
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::byte>(i * 7);
    for (const std::uint64_t offset : {std::uint64_t{0}, far}) {
        CAPTURE(offset);
        CHECK(transfer<true>(fd, sent.data(), sent.size(), offset) == 1000);
        got = {};
        CHECK(transfer<false>(fd, got.data(), got.size(), offset) == 1000);
        CHECK(got == sent);
    }
    CHECK(transfer<false>(fd, got.data(), got.size(), far + 990) == 10);
    CHECK(transfer<false>(fd, got.data(), got.size(), far + 1000) == 0);
}

TEST_CASE("a failed transfer returns the negative error number") {
    std::array<std::byte, 8> bytes{};
    CHECK(transfer<false>(-1, bytes.data(), bytes.size(), 0) == -EBADF);
    CHECK(transfer<true>(-1, bytes.data(), bytes.size(), 0) == -EBADF);
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__)) && defined(__LP64__)
static_assert(MEDIARIG_INLINE_SYSTEM_CALL == 1);
#endif
