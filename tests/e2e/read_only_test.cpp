// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads the data of earlier tests back: of verify on an image, and of H2testw in a folder.
#include <cstdint>
#include <cstring>
#include <fstream>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"
#include "tests/json.hpp"

using namespace mediarig::e2e;

namespace {

constexpr std::uint64_t image_mib = 1 << 20;

void flip_bit(const std::filesystem::path& file, std::uint64_t at) {
    std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekg(static_cast<std::streamoff>(at));
    const char old = static_cast<char>(stream.get());
    stream.seekp(static_cast<std::streamoff>(at));
    stream.put(static_cast<char>(old ^ 4));
    REQUIRE(stream.good());
}

/// A file of H2testw with this number of sectors.
void write_h2w(const std::filesystem::path& file, std::uint64_t position, std::size_t sectors) {
    std::ofstream out(file, std::ios::binary);
    for (std::size_t i = 0; i < sectors; ++i) {
        std::uint64_t number = position + i * 512;
        for (int word = 0; word < 64; ++word) {
            out.write(reinterpret_cast<const char*>(&number), sizeof number);
            number = number * 4294967311U + 17;
        }
    }
    REQUIRE(out.good());
}

} // namespace

TEST_CASE("verify --read-only compares the data of an earlier verify without its store and writes nothing") {
    if (!is_root()) MEDIARIG_SKIP("needs root");
    const Folder folder;
    const std::string image = (folder / "card.img").string();
    make_image(image, 24 * image_mib);
    const ProgramOutput none = call_mediarig({"verify", image, "--read-only", "--agent", "local"}, folder.path());
    CHECK(none.status == 2);
    CHECK_THAT(none.err, ContainsSubstring("contains no data of verify that can be read back"));

    const ProgramOutput written = call_mediarig(
        {"verify", image, "--confirm", image, "--store", (folder / "a.db").string(), "--agent", "local", "--quiet"},
        folder.path());
    CAPTURE(written.out, written.err);
    REQUIRE(written.status == 0);
    const std::string before = read_file(image);
    const ProgramOutput good = call_mediarig({"verify", image, "--read-only", "--agent", "local"}, folder.path());
    CAPTURE(good.out, good.err);
    CHECK(good.status == 0);
    CHECK_THAT(good.out, ContainsSubstring(", today, to") && ContainsSubstring("image-card.img"));
    CHECK_THAT(good.out, ContainsSubstring("25.2 MB of 25.2 MB were compared; all are as written."));
    CHECK(read_file(image) == before);

    flip_bit(image, 5 * image_mib + 777);
    const ProgramOutput rotted =
        call_mediarig({"verify", image, "--read-only", "--agent", "local", "--json"}, folder.path());
    CHECK(rotted.status == 1);
    const auto kept = nlohmann::json::parse(rotted.out).at("scan").at("kept");
    CHECK(kept.at("damaged_bytes") == 512);
    CHECK(kept.at("damaged").at(0).at("offset") == 5 * image_mib + 512);
    CHECK(kept.at("damaged").at(0).at("kind") == "flipped");
    CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});
}

TEST_CASE("verify --from and --length use a part of an image") {
    if (!is_root()) MEDIARIG_SKIP("needs root");
    const Folder folder;
    const std::string image = (folder / "card.img").string();
    make_image(image, 24 * image_mib);
    const ProgramOutput output =
        call_mediarig({"verify", image, "--confirm", image, "--store", (folder / "a.db").string(), "--agent", "local",
                       "--quiet", "--from", "8MiB", "--length", "4MiB"},
                      folder.path());
    CAPTURE(output.out, output.err);
    CHECK(output.status == 3); // SAMPLED
    const std::string content = read_file(image);
    CHECK(content.find_first_not_of('\0') == 8 * image_mib);
    CHECK(content.find_last_not_of('\0') < 12 * image_mib);
    CHECK(content.find_last_not_of('\0') >= 12 * image_mib - 16);
}

TEST_CASE("verify --read-only compares files of H2testw in a folder") {
    const Folder folder;
    write_h2w(folder / "1.h2w", 0, 40);
    write_h2w(folder / "2.h2w", std::uint64_t{1} << 30, 8);
    const auto read = [&](const std::vector<std::string>& more = {}) {
        std::vector<std::string> words{"verify", folder.path().string(), "--read-only"};
        words.insert(words.end(), more.begin(), more.end());
        return call_mediarig(words, folder.path());
    };
    const ProgramOutput good = read();
    CAPTURE(good.out, good.err);
    CHECK(good.status == 0);
    CHECK_THAT(good.out, ContainsSubstring("2 files of H2testw or f3") &&
                             ContainsSubstring("24.6 kB were compared; all are as written"));
    flip_bit(folder / "1.h2w", 512 * 3 + 100);
    write_h2w(folder / "2.h2w", 0, 8); // data of another position
    const auto json = nlohmann::json::parse(read({"--json"}).out).at("h2w");
    CHECK(json.at("good") == 39 * 512);
    CHECK(json.at("changed") == 512);
    CHECK(json.at("overwritten") == 8 * 512);
    CHECK(json.at("first_lost") == 3 * 512);
    CHECK(read().status == 1);
}
