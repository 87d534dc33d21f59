// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/files/nicknames.hpp"

#include "tests/catch.hpp"
#include "tests/json.hpp"

using namespace mediarig;

TEST_CASE("nicknames: each medium has at most one name, and each name belongs to one medium") {
    Nicknames names;
    REQUIRE(reason(names.give("0xdeadbeef", "blue card")) == "success");
    REQUIRE(reason(names.give("4C53", "stick")) == "success");
    CHECK(names.of("0xdeadbeef") == "blue card");
    CHECK(names.medium_called("stick") == "4C53");
    CHECK(names.of("stick").empty());
    CHECK(names.medium_called("4C53").empty());

    REQUIRE(reason(names.give("4C53", "old stick")) == "success");
    CHECK(names.all() == std::vector<Nickname>{{"0xdeadbeef", "blue card"}, {"4C53", "old stick"}});
    REQUIRE(reason(names.give("4C53", "old stick")) == "success");
    CHECK(reason(names.give("4C53", "blue card")) ==
          "'blue card' is the nickname of 0xdeadbeef already: choose another one, or remove it with: mediarig names "
          "forget 'blue card'");

    CHECK(names.forget("blue card")->medium == "0xdeadbeef");
    CHECK(names.forget("4C53")->name == "old stick");
    CHECK(names.all().empty());
    CHECK(reason(names.forget("stick")) == "no medium has the nickname 'stick': 'mediarig names' lists them");
}

TEST_CASE("nicknames: an ambiguous or invalid name is refused") {
    struct Row {
        std::string name, fault;
    };
    const Row rows[] = {
        {"", "is empty"},
        {std::string(41, 'x'), "has more than 40 bytes"},
        {"a\nb", "has characters that cannot be shown"},
        {"\xff", "has characters that cannot be shown"},
        {"-x", "begins with \"-\", like an option"},
        {"/dev/sda", "contains a slash, like a path"},
        {" x", "begins or ends with a blank"},
        {"last", "is reserved for campaigns"},
        {"17", "is reserved for campaigns"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        Nicknames names;
        CHECK_THAT(reason(names.give("4C53", row.name)), ContainsSubstring("is not a nickname: it " + row.fault));
        CHECK(names.all().empty());
    }
    Nicknames names;
    CHECK(reason(names.give("4C53", std::string(40, 'x'))) == "success");
}

TEST_CASE("nicknames: a medium gets no name if its serial would be refused when the file is read") {
    for (const auto& [medium, fault] : {std::pair<std::string, std::string>{"", "is empty"},
                                        {"a\nb", "has characters that cannot be shown"},
                                        {"\x1b[2J", "has characters that cannot be shown"},
                                        {std::string(4096, 'x'), "has more than 4095 bytes"}}) {
        CAPTURE(medium);
        Nicknames names;
        CHECK_THAT(reason(names.give(medium, "card")), ContainsSubstring("is not a serial: it " + fault));
        CHECK(names.all().empty());
    }
    Nicknames longest;
    CHECK(reason(longest.give(std::string(4095, 'x'), "card")) == "success");
    CHECK(parse_nicknames(to_json(longest).dump()) == longest);
}

TEST_CASE("nicknames: a written file is read back, and each fault is reported with its position") {
    Nicknames names;
    REQUIRE(reason(names.give("4C53", "Käthe's \"card\"")) == "success");
    CHECK(parse_nicknames(to_json(names).dump()) == names);
    CHECK(parse_nicknames("") == Nicknames());

    struct Row {
        const char* text;
        const char* fault;
    };
    const Row rows[] = {
        {"[", "line 1"},
        {"[]", "/: must be an object"},
        {"{}", "/mediarig_names: is missing"},
        {R"({"mediarig_names": 1, "names": {}})", "/names: must be a list"},
        {R"({"mediarig_names": 1, "name": []})", "/name: unknown member; did you mean \"names\"?"},
        {R"({"mediarig_names": 1, "names": [{"name": "x"}]})", "/names/0/medium: is missing"},
        {R"({"mediarig_names": 1, "names": [{"medium": "x"}]})", "/names/0/name: is missing"},
        {R"({"mediarig_names": 1, "names": [{"medium": "x", "name": "17"}]})", "/names/0: '17' is not a nickname"},
        {R"({"mediarig_names": 1, "names": [{"medium": "x", "name": "a"}, {"medium": "x", "name": "b"}]})",
         "/names/1: names a medium that already has a nickname"},
        {R"({"mediarig_names": 1, "names": [{"medium": "x", "name": "a"}, {"medium": "y", "name": "a"}]})",
         "/names/1: 'a' is the nickname of x already"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const auto read = parse_nicknames(row.text);
        REQUIRE_FALSE(read);
        CHECK(read.error().code == Errc::bad_request);
        CHECK_THAT(read.error().detail, ContainsSubstring(row.fault));
    }
}
