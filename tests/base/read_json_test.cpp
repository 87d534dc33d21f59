// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "host/base/json/json_text.hpp"
#include "tests/catch.hpp"

using namespace mediarig::codec;

TEST_CASE("read_json() discards text that is not JSON or is nested too deeply") {
    const auto nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
    CHECK(read_json(R"({"a":[1]})").at("a").at(0) == 1);
    CHECK(read_json("{").is_discarded());
    CHECK(read_json("").is_discarded());
    CHECK(read_json(nested(deepest_nesting)).is_array());
    CHECK(read_json(nested(deepest_nesting + 1)).is_discarded());
    CHECK(read_json(nested(4'000'000)).is_discarded());
    CHECK(read_json(std::string(4'000'000, '{')).is_discarded());
    // Brackets in a string are text, also after an escaped quotation mark.
    CHECK(read_json('"' + std::string(1000, '[') + '"').is_string());
    CHECK(read_json(R"("\")" + std::string(1000, '[') + '"').is_string());
}
