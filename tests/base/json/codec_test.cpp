// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/json/codec.hpp"

#include <cmath>

#include "tests/catch.hpp"

namespace mediarig::sample {

BOOST_DEFINE_FIXED_ENUM_CLASS(Colour, std::uint8_t, red, green)

struct Place {
    std::uint32_t row{};
    Bytes at;
    bool operator==(const Place&) const = default;
};
constexpr auto members_of(codec::Tag<Place>) {
    return codec::members(codec::member("row", &Place::row), codec::member("at", &Place::at));
}

struct Card {
    std::string name;
    std::uint8_t age{7};
    Colour colour{};
    std::vector<Colour> others;
    std::vector<Place> places;
    std::optional<Place> home, work;
    std::optional<double> weight;
    std::map<std::string, std::optional<std::string>> tools;
    std::chrono::nanoseconds took{};
    std::chrono::sys_seconds made{};
    std::string host, cpu;
    std::vector<double> values;
    bool operator==(const Card&) const = default;
};
static std::string both(const Card& card) {
    return card.host + "/" + card.cpu;
}
static void set_both(Card&, const std::string&) {}
static bool has_name(const Card& card) {
    return !card.name.empty();
}
constexpr auto members_of(codec::Tag<Card>) {
    using codec::member;
    return codec::members(
        codec::constant("kind", "card"), member("name", &Card::name).at_most(5),
        member("age", &Card::age).at_least(1).or_default(), member("colour", &Card::colour),
        member("others", &Card::others).at_most(2).or_default(), member("places", &Card::places).unless_default(),
        member("home", &Card::home), codec::spread("row", &Card::work), member("weight", &Card::weight).or_null(),
        member("tools", &Card::tools), member("took_ns", &Card::took), member("made", &Card::made).at_most(100),
        codec::group("machine", member("host", &Card::host), member("cpu", &Card::cpu)),
        codec::computed("both", both, set_both), member("values", &Card::values).or_default(),
        codec::must("name", has_name, "is empty"));
}

struct Forgetful {
    std::uint32_t listed{}, forgotten{};
};
constexpr auto members_of(codec::Tag<Forgetful>) {
    return codec::members(codec::member("listed", &Forgetful::listed));
}
struct Selective {
    std::uint32_t listed{}, kept_elsewhere{};
};
constexpr auto members_of(codec::Tag<Selective>) {
    return codec::members(codec::member("listed", &Selective::listed), codec::omitted(&Selective::kept_elsewhere));
}
// encode() does not compile for a list without one of the fields.
static_assert(codec::detail::lists_all_fields<Place>());
static_assert(!codec::detail::lists_all_fields<Forgetful>());
static_assert(codec::detail::lists_all_fields<Selective>());

} // namespace mediarig::sample

using namespace mediarig;
using namespace mediarig::sample;
using codec::Json;

namespace {

Card some_card() {
    return {.name = "ace",
            .age = 9,
            .colour = Colour::green,
            .others = {Colour::red, Colour::green},
            .places = {{1, 2_KiB}},
            .home = Place{3, 4_KiB},
            .work = Place{5, 6_KiB},
            .weight = 1.5,
            .tools = {{"a", "1"}, {"b", std::nullopt}},
            .took = std::chrono::seconds(1),
            .made = std::chrono::sys_seconds(std::chrono::seconds(99)),
            .host = "h",
            .cpu = "c",
            .values = {0.5}};
}

std::string unreadable(const Card& card) {
    codec::DecodeError fault;
    codec::check(card, {nullptr, "card", {}}, fault);
    return fault.none() ? "readable" : fault.error().detail;
}

} // namespace

TEST_CASE("codec: a record survives a round trip under its published names") {
    const Json json = codec::encode(some_card());
    CHECK(json ==
          Json::parse(R"({"kind": "card", "name": "ace", "age": 9, "colour": "green", "others": ["red", "green"],
        "places": [{"row": 1, "at": 2048}], "home": {"row": 3, "at": 4096}, "row": 5, "at": 6144, "weight": 1.5,
        "tools": {"a": "1", "b": null}, "took_ns": 1000000000, "made": 99, "machine": {"host": "h", "cpu": "c"},
        "both": "h/c", "values": [0.5]})"));
    const auto again = codec::decode<Card>(Json::parse(json.dump()), "card");
    REQUIRE(reason(again) == "success");
    CHECK(*again == some_card());
}

TEST_CASE("codec: an omitted field is neither written nor read") {
    CHECK(codec::encode(Selective{.listed = 1, .kept_elsewhere = 2}) == Json{{"listed", 1}});
    const auto read = codec::decode<Selective>(Json{{"listed", 1}, {"kept_elsewhere", 2}});
    REQUIRE(read);
    CHECK(read->kept_elsewhere == 0);
}

TEST_CASE("codec: an unset member is omitted, null or its default according to its rule") {
    Card card{.name = "x"};
    const Json json = codec::encode(card);
    CHECK_FALSE(json.contains("home"));
    CHECK_FALSE(json.contains("row"));
    CHECK_FALSE(json.contains("places"));
    CHECK(json.at("weight").is_null());
    CHECK(json.at("age") == 7);
    CHECK(codec::decode<Card>(json).value() == card);
    Json less = json;
    for (const char* name : {"age", "others", "weight", "both", "values"}) less.erase(name);
    less["later"] = 1;
    CHECK(codec::decode<Card>(less).value() == card);
    Json list = json;
    list["values"] = {nullptr, 1};
    CHECK(std::isnan(codec::decode<Card>(list)->values[0]));
}

TEST_CASE("codec: the first fault is reported with its path") {
    struct Row {
        const char* pointer;
        Json value;
        const char* why;
    };
    const Row rows[] = {
        {"/kind", "cart", "card.kind: must be \"card\""},
        {"/name", 1, "card.name: must be a string"},
        {"/name", nullptr, "card.name: missing"},
        {"/name", "abcdef", "card.name: must have at most 5 bytes"},
        {"/name", "", "card.name: is empty"},
        {"/age", 0, "card.age: must be a whole number from 1 to 255"},
        {"/age", 256, "card.age: must be a whole number from 1 to 255"},
        {"/colour", "blue", "card.colour: \"blue\" is not one of red, green"},
        {"/others", Json::array({"red", "blue"}), "card.others[1]: \"blue\" is not one of red, green"},
        {"/others", Json::array({"red", "red", "red"}), "card.others: must have at most 2 elements"},
        {"/places/0/at", -1, "card.places[0].at: must be a whole number from 0 to 2^64-1"},
        {"/home", 1, "card.home: must be an object"},
        {"/home/row", std::uint64_t{1} << 32, "card.home.row: must be a whole number from 0 to 2^32-1"},
        {"/at", nullptr, "card.at: missing"},
        {"/weight", "x", "card.weight: must be a number"},
        {"/tools", Json::array(), "card.tools: must be an object"},
        {"/tools/a", 1, "card.tools.a: must be a string"},
        {"/took_ns", ~std::uint64_t{0}, "card.took_ns: must be a whole number from 0 to 2^63-1"},
        {"/made", 101, "card.made: must be a whole number from 0 to 100"},
        {"/machine", 1, "card.machine: must be an object"},
        {"/machine/cpu", 1, "card.machine.cpu: must be a string"},
        {"/both", 1, "card.both: must be a string"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.pointer);
        Json bad = codec::encode(some_card());
        bad[Json::json_pointer(row.pointer)] = row.value;
        const auto card = codec::decode<Card>(bad, "card");
        CHECK(reason(card) == row.why);
        CHECK((card || card.error().code == Errc::bad_format));
    }
    CHECK(reason(codec::decode<Card>(Json(1))) == "message: must be an object");
    CHECK(reason(codec::decode<Card>(Json::object())) == "kind: must be \"card\"");
}

TEST_CASE("codec: a value in memory is checked against the same rules") {
    CHECK(unreadable(some_card()) == "readable");
    const auto with = [](auto change) {
        Card card = some_card();
        change(card);
        return unreadable(card);
    };
    CHECK(with([](Card& card) { card.name = "abcdef"; }) == "card.name: must have at most 5 bytes");
    CHECK(with([](Card& card) { card.name.clear(); }) == "card.name: is empty");
    CHECK(with([](Card& card) { card.age = 0; }) == "card.age: must be a whole number from 1 to 255");
    CHECK(with([](Card& card) { card.others[1] = Colour{9}; }) ==
          "card.others[1]: \"unlisted\" is not one of red, green");
    CHECK(with([](Card& card) { card.others.resize(3); }) == "card.others: must have at most 2 elements");
    CHECK(with([](Card& card) { card.took = -card.took; }) == "card.took_ns: must not be negative");
    CHECK(with([](Card& card) { card.made += std::chrono::seconds(2); }) ==
          "card.made: must be a whole number from 0 to 100");
}
