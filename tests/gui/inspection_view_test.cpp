// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests the lists in which the window shows the contents of a medium.
#include "host/gui/models/inspection_view.hpp"

#include "tests/catch.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::gui;
using nlohmann::json;

namespace {

json inspection() {
    media::InspectReport content;
    content.size = 64_MiB;
    content.scheme = "mbr";
    return {{"mediarig_inspect", 1}, {"content", media::to_json(content)}};
}

json deviation(const char* severity, const char* name) {
    return {{"severity", severity}, {"subject", "volume 1"}, {"name", name},      {"found", "a"},
            {"expected", "b"},      {"reason", "it costs"},  {"source", "a book"}};
}

} // namespace

TEST_CASE("an inspection lists errors before warnings and notes in the order of the command") {
    json said = inspection();
    said["deviations"] = {deviation("note", "n"), deviation("warning", "w1"), deviation("error", "e"),
                          deviation("warning", "w2")};
    const auto inspected = inspected_from_json(said.dump());
    REQUIRE(inspected);
    CHECK(inspected->compared);
    CHECK(inspected->content.scheme == "mbr");
    CHECK(inspected->content.size == 64_MiB);
    std::string names;
    for (const ShownDeviation& each : inspected->deviations) names += each.name + ' ';
    CHECK(names == "e w1 w2 n ");
    CHECK(inspected->deviations[0].reason == "it costs");
}

TEST_CASE("an inspection without a reference reports that nothing was compared") {
    const auto inspected = inspected_from_json(inspection().dump());
    REQUIRE(inspected);
    CHECK(!inspected->compared);
    CHECK(inspected->deviations.empty());
}

TEST_CASE("an invalid inspection is refused") {
    json wrong = inspection();
    wrong["deviations"] = {3};
    json empty = inspection();
    empty["content"] = 3;
    for (const std::string& text : {std::string(), std::string("[]"), std::string("{}"), wrong.dump(), empty.dump()})
        CHECK(!inspected_from_json(text));
}

TEST_CASE("a parameter has its unit, and its offset if it is stored on the medium") {
    const media::Places places{
        {.name = "cluster_size", .field = "", .unit = "B", .at = {109}, .length = {1}, .hex = "03"},
        {.name = "free", .field = "", .unit = "clusters", .at = {}, .length = {}, .hex = ""}};
    const auto shown = shown_parameters({{"cluster_size", "4096"}, {"free", "7"}, {"label", "a\x1b[2J\nb"}}, places);
    REQUIRE(shown.size() == 3);
    CHECK(shown[0].value == "4096 B");
    CHECK(shown[0].at == Bytes{109});
    CHECK(shown[0].hex == "03");
    CHECK(shown[1].value == "7 clusters");
    CHECK(!shown[1].at);
    CHECK(shown[2].value.find('\x1b') == std::string::npos);
    CHECK(shown[2].value.find('\n') == std::string::npos);
}

TEST_CASE("a region lists its parameters in the order of the medium") {
    media::InspectReport content;
    content.parameters = {{"scheme", "mbr"}, {"signature", "7"}};
    content.places = {{.name = "signature", .field = "", .unit = "", .at = {440}, .length = {4}, .hex = "07000000"}};
    media::InspectedVolume volume;
    volume.parameters = {{"label", "CARD"}, {"cluster_size", "4096"}};
    volume.places = {{.name = "label", .field = "", .unit = "", .at = {9000}, .length = {8}, .hex = "43"},
                     {.name = "cluster_size", .field = "", .unit = "B", .at = {4205}, .length = {1}, .hex = "03"}};
    content.volumes = {volume};
    const auto names_at = [&](Bytes start, Bytes length) {
        std::string names;
        for (const ShownParameter& each : parameters_at(content, start, length)) names += each.name + ' ';
        return names;
    };
    CHECK(names_at(0_B, 512_B) == "signature ");
    CHECK(names_at(4_KiB, 8_KiB) == "cluster_size label ");
    CHECK(names_at(4205_B, 1_B) == "cluster_size ");
    CHECK(names_at(4206_B, 100_B).empty());
}
