// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/text/ranking_text.hpp"

#include "tests/catch.hpp"

using namespace mediarig::report;

namespace {

/// Five passes with a scatter of about one per cent.
RankedItem five(std::string name, double rate) {
    return {std::move(name), {rate * 0.99, rate * 1.01, rate, rate * 0.995, rate * 1.005}};
}

RankedOperation reading(std::vector<RankedItem> items) {
    return ranked("sequential read", "MB/s", std::move(items));
}

RankedOperation writing(std::vector<RankedItem> items) {
    return ranked("sequential write", "MB/s", std::move(items));
}

std::string sentence_of(const std::vector<RankedOperation>& operations, std::string_view place = "") {
    return ranking_text(operations, place);
}

} // namespace

TEST_CASE("the ranking names the fastest item and items that cannot be distinguished") {
    CHECK(sentence_of({reading({five("old", 40), five("red", 90.1), five("blue", 40.1)})}, " under exFAT") ==
          "red is fastest under exFAT: 90.1 MB/s sequential read; blue and old cannot be distinguished.");
    CHECK(sentence_of({reading({five("red", 90), five("blue", 90.1), five("old", 40)})}) ==
          "blue and red cannot be distinguished: 90.0 to 90.1 MB/s sequential read; then old.");
    CHECK(sentence_of({reading({five("a", 90), five("b", 80), five("c", 70), five("d", 70.1)})}) ==
          "a is fastest: 90.0 MB/s sequential read; then b, then d and c (cannot be distinguished).");
}

TEST_CASE("the ranking adds the fastest item of further operations") {
    CHECK(sentence_of({reading({five("red", 90), five("blue", 60)}), writing({five("red", 30), five("blue", 20)})}) ==
          "red is fastest: 90.0 MB/s sequential read, 30.0 MB/s sequential write; then blue.");
    CHECK(sentence_of({reading({five("red", 90), five("blue", 60)}), writing({five("red", 10), five("blue", 20)})}) ==
          "red is fastest: 90.0 MB/s sequential read; then blue; blue is fastest: 20.0 MB/s sequential write.");
}

TEST_CASE("a ranking from fewer than four passes is an order without a claim") {
    CHECK(sentence_of({reading({{"blue", {77}}, {"red", {90.12}}}), writing({{"blue", {20}}, {"red", {9}}})},
                      " under exFAT") ==
          "Measured once, so the order is not a claim: sequential read under exFAT: red 90.1, blue 77.0 MB/s; "
          "sequential write: blue 20.0, red 9.00 MB/s.");
    CHECK(sentence_of({reading({{"blue", {77, 78, 79}}, five("red", 90)})}) ==
          "Fewer than 4 passes, so the order is not a claim: sequential read: red 90.0, blue 78.0 MB/s.");
}

TEST_CASE("a ranking of many items names the first ones and counts the others") {
    std::vector<RankedItem> many;
    for (int i = 0; i < 20; ++i) many.push_back({"card" + std::to_string(i), {100.0 - i}});
    CHECK(sentence_of({reading(many)}) ==
          "Measured once, so the order is not a claim: sequential read: card0 100, card1 99.0, card2 98.0, card3 97.0, "
          "card4 96.0, card5 95.0 MB/s and 14 more.");
}

TEST_CASE("a single item has no rank") {
    CHECK(ranking_text({}, "").empty());
    CHECK(sentence_of({reading({five("red", 90)})}).empty());
}
