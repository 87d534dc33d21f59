// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/files_plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "host/workload/io/work_names.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::workload;

namespace {

FileStep step_of(FileWork work, FileOrder order) {
    FileStep step;
    step.work = work;
    step.order = order;
    return step;
}

} // namespace

TEST_CASE("sizes by the square law have a median of 2a and a mean of a ln(b / a)") {
    const SizeLaw law{.smallest = Bytes{1070}, .largest = Bytes{20'000'000'000}};
    CHECK(size_by_square_law(law, 0) == law.smallest);
    CHECK(size_by_square_law(law, 1) == law.largest);
    CHECK(static_cast<double>(size_by_square_law(law, 0.5).count) == Approx(2140).epsilon(0.01));
    double sum = 0;
    constexpr int steps = 4'000'000;
    for (int i = 0; i < steps; ++i) sum += static_cast<double>(size_by_square_law(law, (i + 0.5) / steps).count);
    // 18 GB in a million files.
    CHECK(sum / steps == Approx(1070 * std::log(20e9 / 1070)).epsilon(0.1));
}

TEST_CASE("equal seeds give equal file sizes and equal changes") {
    const FileSet set{.files = 1000, .sizes = {}, .law = SizeLaw{1000_B, 1_MiB}, .first = 0, .folders = {}};
    CHECK(size_of_file(set, 7, 0, 1) == size_of_file(set, 7, 0, 1));
    CHECK(size_of_file(set, 7, 0, 1) != size_of_file(set, 7, 0, 2));
    CHECK(size_of_file(set, 7, 1, 1) != size_of_file(set, 7, 0, 1)); // a replaced file has another size
    FileStep replace = step_of(FileWork::replace, {});
    replace.part = 0.05;
    const auto first = order_of(set, replace, 1, 3), again = order_of(set, replace, 1, 3),
               next = order_of(set, replace, 1, 5);
    CHECK(first.size() == 50);
    CHECK(first == again);
    CHECK(first != next);
    CHECK(std::set<std::uint32_t>(first.begin(), first.end()).size() == 50);
    FileStep rename = replace;
    rename.work = FileWork::rename;
    CHECK(order_of(set, rename, 1, 3).size() == 50);
    CHECK(order_of(set, rename, 1, 3) != first);
}

TEST_CASE("each cycle contains every size once, in an order that differs between cycles") {
    const FileSet set{.files = 40,
                      .sizes = {1_KiB, 2_KiB, 3_KiB, 4_KiB, 5_KiB, 6_KiB, 7_KiB, 8_KiB},
                      .law = {},
                      .first = 0,
                      .folders = {}};
    const auto order = order_of(set, step_of(FileWork::write, FileOrder::random_in_cycle), 1, 0);
    REQUIRE(order.size() == 40);
    std::set<std::vector<std::uint64_t>> orders;
    for (std::size_t cycle = 0; cycle < 5; ++cycle) {
        std::vector<std::uint64_t> sizes;
        for (std::size_t i = 0; i < 8; ++i) sizes.push_back(size_of_file(set, order[cycle * 8 + i], 0, 1).count);
        orders.insert(sizes);
        std::ranges::sort(sizes);
        CHECK(sizes.front() == 1024);
        CHECK(std::ranges::adjacent_find(sizes) == sizes.end());
    }
    CHECK(orders.size() > 1);
    CHECK(order_of(set, step_of(FileWork::write, FileOrder::by_number), 1, 0)[17] == 17);
}

TEST_CASE("folders have three levels, and folders of the last level contain equal numbers of files") {
    const FileSet set{.files = 120, .sizes = {}, .law = {}, .first = 0, .folders = {3, 2, 2}};
    CHECK(folders_in(set) == 3 + 6 + 12);
    std::map<std::string, int> files;
    for (std::uint32_t i = 0; i < set.files; ++i) ++files[folder_of(set, i)];
    CHECK(files.size() == 12);
    for (const auto& [folder, count] : files) CHECK(count == 10);
    CHECK(folder_of(set, 0) == "folder-0/folder-0/folder-0");
    CHECK(folder_of(set, 119) == "folder-2/folder-1/folder-1");
    const FileSet flat{.files = 5, .sizes = {}, .law = {}, .first = 0, .folders = {}};
    CHECK(folder_of(flat, 3).empty());
    CHECK(folders_in(flat) == 0);
}

TEST_CASE("a file name in the form of Bonnie++ has 10 to 22 characters and identifies the file") {
    for (const FileNames names : {FileNames::pieces, FileNames::number_first, FileNames::number_last}) {
        const FileSet set{.files = 300, .sizes = {}, .law = {}, .first = 10, .folders = {}, .names = names};
        std::set<std::size_t> lengths;
        for (std::uint32_t index = 0; index < set.files; ++index) {
            const std::string name = name_of_file(set, index, 5);
            CAPTURE(name);
            CHECK(name == name_of_file(set, index, 5));
            CHECK(file_called(set, name, 5) == index);
            CHECK(is_numbered_name(name) == (names != FileNames::pieces));
            CHECK(file_called(set, name + "x", 5) == std::nullopt);
            lengths.insert(name.size());
        }
        if (names != FileNames::pieces)
            CHECK(lengths == std::set<std::size_t>{10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22});
    }
    const FileSet set{
        .files = 300, .sizes = {}, .law = {}, .first = 10, .folders = {}, .names = FileNames::number_first};
    CHECK(name_of_file(set, 1, 5).starts_with("000000000b"));
    for (const char* other : {"", "0000000001", "000000000g", "folder-0", "piece-11.bin", "letter.txt"})
        CHECK(file_called(set, other, 5) == std::nullopt);
    for (const char* other : {"", "00000001f", "0000000001.txt", "01234567890abcdefghijkl", "lettertoyou"})
        CHECK_FALSE(is_numbered_name(other));
}
