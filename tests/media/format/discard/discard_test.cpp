// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/discard/discard.hpp"

#include <algorithm>
#include <vector>

#include "tests/catch.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::media;
using nlohmann::json;

namespace {

constexpr std::byte old_byte{0x5A};

/// Effect of a discard on the fake medium.
enum class Answers { with_zeros, with_ones, with_old_data, with_noise, only_in_first_half, with_read_errors };

class FakeDiscardable final : public Discardable {
public:
    explicit FakeDiscardable(Bytes size, Answers answers = Answers::with_zeros)
        : bytes(size.count, old_byte), answers_(answers) {}

    Result<void> write(Bytes at, std::span<const std::byte> data) override {
        if (at >= bad_from) return fail(Errc::io_failed, "bad sector");
        ++writes;
        if (at < forgets_from) std::ranges::copy(data, bytes.begin() + static_cast<std::ptrdiff_t>(at.count));
        return {};
    }
    Result<void> read(Bytes at, std::span<std::byte> data) override {
        if (at >= bad_from || unreadable_) return fail(Errc::io_failed, "bad sector");
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at.count), data.size(), data.begin());
        return {};
    }
    Result<void> drop_cached_data() override {
        ++settled;
        return {};
    }
    Result<bool> discard(Bytes at, Bytes length) override {
        if (takes_none) return false;
        const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at.count);
        const auto count = static_cast<std::ptrdiff_t>(length.count);
        switch (answers_) {
            case Answers::with_zeros:
                std::fill_n(from, count, std::byte{});
                break;
            case Answers::with_ones:
                std::fill_n(from, count, std::byte{0xFF});
                break;
            case Answers::with_old_data:
                break;
            case Answers::with_noise:
                std::fill_n(from, count, std::byte{0x33});
                break;
            case Answers::only_in_first_half:
                std::fill(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2), std::byte{});
                break;
            case Answers::with_read_errors:
                unreadable_ = true;
                break;
        }
        return true;
    }

    std::vector<std::byte> bytes;
    std::uint32_t writes{}, settled{};
    bool takes_none{};
    Bytes forgets_from{~0ULL}, bad_from{~0ULL};

private:
    Answers answers_;
    bool unreadable_{};
};

DiscardReport discarded(FakeDiscardable& medium) {
    const auto report = discard_all(medium, {.size = Bytes{medium.bytes.size()}, .start_value = 7});
    REQUIRE(reason(report) == "success");
    return *report;
}

} // namespace

TEST_CASE("discard: the effect is measured by marks that are read back") {
    struct Row {
        Answers answers;
        DiscardEffect effect;
        std::uint32_t zeros, ones, kept, other;
        const char* words;
    };
    const Row rows[] = {
        {Answers::with_zeros, DiscardEffect::zeros, 8, 0, 0, 0, "reads as zeros"},
        {Answers::with_ones, DiscardEffect::ones, 0, 8, 0, 0, "reads as bytes of FF"},
        {Answers::with_old_data, DiscardEffect::old_data, 0, 0, 8, 0, "old data is still read"},
        {Answers::with_noise, DiscardEffect::mixed, 0, 0, 0, 8,
         "of 8 marks, 0 read as zeros, 0 as bytes of FF, 0 unchanged, 8 as other data"},
        {Answers::only_in_first_half, DiscardEffect::mixed, 4, 0, 4, 0,
         "of 8 marks, 4 read as zeros, 0 as bytes of FF, 4 unchanged, 0 as other data"},
        {Answers::with_read_errors, DiscardEffect::mixed, 0, 0, 0, 8, "8 as other data"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.words);
        FakeDiscardable medium(1_MiB, row.answers);
        const DiscardReport report = discarded(medium);
        CHECK(report.taken);
        CHECK(report.length == 1_MiB);
        CHECK(effect_of(report) == row.effect);
        CHECK(std::vector{report.zeros, report.ones, report.kept, report.other} ==
              std::vector{row.zeros, row.ones, row.kept, row.other});
        CHECK_THAT(text_of(report), ContainsSubstring(row.words));
        CHECK(medium.writes == mark_count);
        CHECK(medium.settled == 2);
    }
}

TEST_CASE("discard: a medium that does not support discard gives a report, not an error") {
    FakeDiscardable medium(1_MiB);
    medium.takes_none = true;
    const DiscardReport report = discarded(medium);
    CHECK(report == DiscardReport{});
    CHECK(effect_of(report) == DiscardEffect::none);
    CHECK(text_of(report) == "the medium does not support discard");
}

TEST_CASE("discard: a mark that cannot be read before the discard is not counted") {
    SECTION("a medium that loses data from its middle") {
        FakeDiscardable medium(1_MiB);
        medium.forgets_from = 512_KiB;
        CHECK(discarded(medium).zeros == 4);
    }
    SECTION("a medium with a bad half") {
        FakeDiscardable medium(1_MiB);
        medium.bad_from = 512_KiB;
        const DiscardReport report = discarded(medium);
        CHECK(report.zeros == 4);
        CHECK(report.other == 0);
    }
    SECTION("a medium that stores nothing") {
        FakeDiscardable medium(1_MiB);
        medium.forgets_from = 0_B;
        const DiscardReport report = discarded(medium);
        CHECK(report.taken);
        CHECK(effect_of(report) == DiscardEffect::unknown);
        CHECK_THAT(text_of(report), ContainsSubstring("no mark could be read back"));
    }
}

TEST_CASE("discard: marks of another discard are not counted") {
    FakeDiscardable medium(1_MiB, Answers::with_old_data);
    CHECK(discarded(medium).kept == mark_count);
    medium.forgets_from = 0_B;
    const auto second = discard_all(medium, {.size = 1_MiB, .start_value = 8});
    REQUIRE(reason(second) == "success");
    CHECK(effect_of(*second) == DiscardEffect::unknown);
}

TEST_CASE("discard: a discard covers the whole medium in pieces of whole units") {
    class Counting final : public Discardable {
    public:
        Result<void> write(Bytes, std::span<const std::byte>) override { return fail(Errc::io_failed, "nothing"); }
        Result<void> read(Bytes, std::span<std::byte>) override { return fail(Errc::io_failed, "nothing"); }
        Result<void> drop_cached_data() override { return {}; }
        Result<bool> discard(Bytes at, Bytes length) override {
            CHECK(at == end);
            end = at + length;
            pieces.push_back(length);
            return true;
        }
        Bytes end;
        std::vector<Bytes> pieces;
    };
    struct Row {
        Bytes size, granularity;
        std::vector<Bytes> pieces;
    };
    const Row rows[] = {
        {3_GiB + 512_B, 0_B, {1_GiB, 1_GiB, 1_GiB, 512_B}},
        {2_GiB, 4_MiB, {1_GiB, 1_GiB}},
        {2_GiB, 3_MiB, {1_GiB + 2_MiB, 1_GiB - 2_MiB}},
        {2_GiB, Bytes{~0ULL}, {2_GiB}},
        {4_GiB, 3_GiB, {3_GiB, 1_GiB}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.size.count, row.granularity.count);
        Counting medium;
        const auto report = discard_all(medium, {.size = row.size, .granularity = row.granularity});
        REQUIRE(reason(report) == "success");
        CHECK(report->length == row.size);
        CHECK(medium.pieces == row.pieces);
    }
}

TEST_CASE("discard: a medium that is too small for eight marks has fewer marks") {
    for (const std::uint64_t size : {512, 4096, 8192, 32768, 65536}) {
        CAPTURE(size);
        FakeDiscardable medium(Bytes{size});
        const DiscardReport report = discarded(medium);
        CHECK(report.zeros <= mark_count);
        CHECK(report.zeros * mark_length.count <= size);
        CHECK(report.kept + report.other + report.ones == 0);
    }
}

TEST_CASE("discard: a discard ends when it is stopped, refused midway or fails") {
    class Sparse final : public Discardable {
    public:
        Result<void> write(Bytes, std::span<const std::byte>) override { return {}; }
        Result<void> read(Bytes, std::span<std::byte>) override { return fail(Errc::io_failed, "nothing"); }
        Result<void> drop_cached_data() override { return {}; }
        Result<bool> discard(Bytes at, Bytes) override {
            if (++commands == stops_at) cancel = true;
            if (at == fails_at) return fail(Errc::io_failed, "no answer");
            return at != refuses_at;
        }
        int commands{}, stops_at{-1};
        Bytes fails_at{~0ULL}, refuses_at{~0ULL};
        std::atomic<bool> cancel{};
    };
    Sparse medium;
    const DiscardTerms terms{.size = 3_GiB, .cancel = &medium.cancel};
    SECTION("stopped") {
        medium.stops_at = 2;
        CHECK(discard_all(medium, terms).error() == Error{Errc::cancelled, "the discard was stopped after 2.15 GB"});
        CHECK(medium.commands == 2);
    }
    SECTION("refused after its first piece") {
        medium.refuses_at = 1_GiB;
        CHECK(discard_all(medium, terms).error() ==
              Error{Errc::io_failed, "the medium accepted discards up to byte 1073741824 and refused further ones"});
    }
    SECTION("no answer") {
        medium.fails_at = 2_GiB;
        CHECK(discard_all(medium, terms).error() == Error{Errc::io_failed, "no answer"});
    }
}

TEST_CASE("discard: a report survives a round trip") {
    const DiscardReport report{.taken = true,
                               .length = 64_GiB,
                               .elapsed = std::chrono::nanoseconds(1'200'000'000),
                               .zeros = 1,
                               .ones = 2,
                               .kept = 3,
                               .other = 4};
    CHECK(discard_report_from_json(json::parse(to_json(report).dump())) == report);
    CHECK(discard_report_from_json(to_json(DiscardReport{})) == DiscardReport{});
    CHECK(reason(discard_report_from_json({{"taken", true}})) == "discard report.length: missing");
    json wrong = to_json(report);
    wrong["zeros"] = -1;
    CHECK_FALSE(discard_report_from_json(wrong));
}
