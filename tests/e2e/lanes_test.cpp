// SPDX-License-Identifier: GPL-3.0-or-later
/// Media in parallel lanes with the real agent: the record equals that of sequential media, except for times.
#include <iostream>
#include <set>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/e2e/records.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using nlohmann::json;

namespace {

std::multiset<std::string> sorted_lines_of(const std::string& text) {
    std::istringstream in(text);
    std::multiset<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.insert(line);
    return lines;
}

/// Tests four images with two suites; one suite verifies an image completely.
Tested four_images_with_lanes(const Folder& folder, unsigned lanes) {
    json media = json::array();
    for (const char* name : {"one", "two", "three", "four"}) {
        const std::string image = (folder / (std::string(name) + ".img")).string();
        // Reuses one file, emptied before each run, because its inode is part of the record.
        make_image(image, 64 << 20);
        media.push_back({{"name", name}, {"image", image}, {"confirm", image}});
    }
    return test_with_lanes(folder,
                           {{"mediarig_plan", 1},
                            {"name", "lanes"},
                            {"media", media},
                            {"formats", {"exfat"}},
                            {"repeats", 2},
                            {"suites",
                             {{{"suite", "verify"}, {"where", "raw"}},
                              {{"suite", "quickbench"}, {"blocks", {"64KiB"}}, {"span", "8MiB"}, {"volume", "4MiB"}}}}},
                           lanes);
}

} // namespace

TEST_CASE("four loop devices in four lanes have the same records as in one lane, except times") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    const Folder folder;
    const Tested alone = four_images_with_lanes(folder, 1);
    const Tested beside = four_images_with_lanes(folder, 4);
    // Four devices with two repeats of two suites.
    check_same_records(alone, beside, 4, 4);
    // Verdicts are printed in the order in which they are reached.
    CHECK(sorted_lines_of(beside.output.out) == sorted_lines_of(alone.output.out));
    CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});
    std::cout << "four loop devices: " << alone.wall.count() << " s with one lane, " << beside.wall.count()
              << " s with four\n";
}
