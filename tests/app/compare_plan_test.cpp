// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/app/compare.hpp"
#include "host/app/target.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::app;
namespace fs = std::filesystem;

namespace {

/// A temporary image; the destructor removes it.
struct Image {
    fs::path path;
    Image() {
        std::string name = (fs::temp_directory_path() / "mediarig-compare.XXXXXX").string();
        const int file = ::mkstemp(name.data());
        REQUIRE(file >= 0);
        ::close(file);
        path = name;
    }
    Image(const Image&) = delete;
    Image& operator=(const Image&) = delete;
    ~Image() { fs::remove(path); }
    [[nodiscard]] CompareRequest request() const { return {.target = {.name = path, .confirm = path}}; }
};

} // namespace

TEST_CASE("an image and its confirmation are stored as resolved paths") {
    const Image image;
    const fs::path link = image.path.string() + ".link";
    fs::create_symlink(image.path, link);
    const auto by_link = medium_of({.name = link, .confirm = link});
    fs::remove(link);
    REQUIRE(by_link);
    CHECK(by_link->image == image.path);
    CHECK(by_link->confirm == image.path);
    CHECK(by_link->name == link.filename());
    CHECK(medium_of({.name = image.path, .confirm = "another"})->confirm == "another");
}

TEST_CASE("compare_plan() passes formats and every setting to the comparison") {
    const Image image;
    CompareRequest request = image.request();
    request.formats = {"exfat", "hfs+j", "apfs"};
    request.seed = 7;
    const auto plan = compare_plan(request);
    INFO(reason(plan));
    REQUIRE(plan);
    REQUIRE(plan->compare);
    CHECK(plan->formats.size() == 3);
    CHECK(plan->repeats == 12);
    CHECK(plan->order == plan::Order{.kind = plan::OrderKind::random, .seed = 7});
    CHECK(plan->compare->orders.size() == 12);
    CHECK(plan->compare->margin_percent == 5);
    CHECK(plan->compare->headlines.size() == 4);
    CHECK(plan->on_failure == plan::OnFailure::next_step);
    CHECK(plan->suites == plan::compare_suites(false));
    CHECK(plan::destroys(*plan));
    request.blocks = "20";
    request.time = std::chrono::minutes(90);
    request.margin_percent = 2;
    request.headlines = {"seq_write"};
    request.quick = true;
    const auto other = compare_plan(request);
    REQUIRE(other);
    CHECK(other->repeats == 20);
    CHECK(other->time_budget == std::chrono::seconds(5400));
    CHECK(other->compare->margin_percent == 2);
    CHECK(other->compare->headlines == std::vector{workload::Access::sequential_write});
    CHECK(other->suites == plan::compare_suites(true));
}

TEST_CASE("compare_plan() accepts deviations as words and as objects, as in a plan") {
    const Image image;
    CompareRequest request = image.request();
    request.deviations = {"misaligned", R"({"cluster_size": "128KiB", "label": "X"})", "boundary:1MiB"};
    const auto plan = compare_plan(request);
    INFO(reason(plan));
    REQUIRE(plan);
    CHECK(plan->compare->deviations ==
          std::vector<std::string>{"misaligned", "cluster size 128 KiB, label X", "boundary 1 MiB"});
    request.profile = "sd";
    request.deviations = {"misaligned"};
    const auto of_profile = compare_plan(request);
    REQUIRE(of_profile);
    CHECK(of_profile->formats[0].profile == media::FormatProfile::sd);
    CHECK(of_profile->compare->deviations == std::vector<std::string>{"misaligned"});
    request.fs = "exfat";
    CHECK(compare_plan(request)->compare->deviations == std::vector<std::string>{"misaligned"});
}

TEST_CASE("a self-test compares a format with itself") {
    const Image image;
    CompareRequest request = image.request();
    request.self_test = true;
    request.fs = "hfs+j";
    request.blocks = "endless";
    const auto plan = compare_plan(request);
    INFO(reason(plan));
    REQUIRE(plan);
    CHECK(plan->compare->self_test);
    CHECK(plan->compare->endless);
    CHECK(plan->formats.size() == 2);
}

TEST_CASE("compare_plan() names the invalid option before any access to the medium") {
    const Image image;
    const auto with = [&](auto change) {
        CompareRequest request = image.request();
        request.formats = {"exfat", "hfs+j"};
        change(request);
        return reason(compare_plan(request));
    };
    using R = CompareRequest;
    CHECK_THAT(with([](R& r) { r.target.confirm.clear(); }),
               ContainsSubstring("confirm an image by its path, --confirm "));
    CHECK_THAT(with([](R& r) { r.target.name = "/no/such"; }), ContainsSubstring("no such device, image or directory"));
    CHECK_THAT(with([](R& r) { r.target.name = "/tmp"; }),
               ContainsSubstring("/tmp is a directory, and formats are made on"));
    CHECK_THAT(with([](R& r) { r.target.confirm = "other"; }),
               ContainsSubstring("the confirmation does not match: type the path of its image file"));
    const char* one_way =
        "give exactly one of --formats exfat,hfs+j, --deviation from --fs or --profile, and --self-test";
    CHECK(with([](R& r) { r.formats.clear(); }) == one_way);
    CHECK(with([](R& r) { r.self_test = true; }) == one_way);
    CHECK(with([](R& r) { r.fs = "exfat"; }) == one_way);
    CHECK(with([](R& r) { r.formats = {"exfat"}; }) ==
          "--formats: names fewer than two formats; a comparison needs at least two");
    CHECK(with([](R& r) {
              r.formats = {"exfat", "exfat"};
          }) == "--formats exfat: is named already; a self-test compares a format with itself");
    CHECK(with([](R& r) {
              r.formats = {"exfat", "hfsj"};
          }) == "--formats hfsj: unknown file system \"hfsj\"; did you mean \"hfs+j\"?");
    CHECK(with([](R& r) { r.blocks = "3"; }) == "--blocks: must be a whole number from 4 to 60, or \"endless\", is 3");
    CHECK(with([](R& r) { r.blocks = "many"; }) == "--blocks: unknown budget \"many\"; expected one of \"endless\"");
    CHECK(with([](R& r) { r.margin_percent = 0; }) == "--margin: must be 0.1 to 100 per cent, is 0.0");
    CHECK_THAT(with([](R& r) { r.headlines = {"write"}; }),
               ContainsSubstring("--headlines write: unknown operation \"write\""));
    CHECK(with([](R& r) {
              r.formats.clear();
              r.fs = "exfta";
              r.deviations = {"misaligned"};
          }) == "--fs: unknown file system \"exfta\"; did you mean \"exfat\"?");
    CHECK(with([](R& r) {
              r.formats.clear();
              r.deviations = {"misaligned", "cluster_size:5KiB"};
          }) == "--deviation cluster_size:5KiB: must be a power of two from 512 bytes to 32 MiB, is \"5KiB\"");
    CHECK_THAT(with([](R& r) {
                   r.formats.clear();
                   r.deviations = {"{broken"};
               }),
               ContainsSubstring("--deviation {broken: must be a deviation from the baseline"));
    CHECK_THAT(with([](R& r) {
                   r.formats.clear();
                   r.profile = "vms";
                   r.self_test = true;
               }),
               ContainsSubstring("--profile: unknown format profile \"vms\""));
}

TEST_CASE(
    "links in the confirmation of an image are resolved like links in its name, and another path does not confirm it") {
    const Image image, other;
    const fs::path link = image.path.string() + ".link", hard = image.path.string() + ".hard";
    fs::create_symlink(image.path, link);
    fs::create_hard_link(image.path, hard);
    const auto confirmed_by = [&](const fs::path& typed) {
        CompareRequest request = image.request();
        request.formats = {"exfat", "hfs+j"};
        request.target.confirm = typed;
        const auto plan = compare_plan(request);
        return plan ? plan->media.front().confirm : std::string();
    };
    CHECK(confirmed_by(image.path) == image.path);
    CHECK(confirmed_by(fs::relative(image.path)) == image.path);
    CHECK(confirmed_by(image.path.parent_path() / "." / image.path.filename()) == image.path);
    CHECK(confirmed_by(link) == image.path);
    CHECK(confirmed_by(hard).empty());
    CHECK(confirmed_by(other.path).empty());
    CHECK(confirmed_by(image.path.filename()).empty());
    fs::remove(link);
    fs::remove(hard);
}
