// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/app/price.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::app;
namespace fs = std::filesystem;

namespace {

/// An image of the test's own, removed at its end.
struct Image {
    fs::path path;
    Image() {
        std::string name = (fs::temp_directory_path() / "mediarig-price.XXXXXX").string();
        const int file = ::mkstemp(name.data());
        REQUIRE(file >= 0);
        ::close(file);
        path = name;
    }
    Image(const Image&) = delete;
    Image& operator=(const Image&) = delete;
    ~Image() { fs::remove(path); }
    [[nodiscard]] PriceRequest request() const { return {.target = {.name = path, .confirm = path}}; }
};

} // namespace

TEST_CASE("a price without further words tries what is worth trying against the file system") {
    const Image image;
    PriceRequest request = image.request();
    const auto plan = price_plan(request);
    INFO(reason(plan));
    REQUIRE(plan);
    REQUIRE(plan->price);
    CHECK(plan->price->deviations ==
          std::vector<std::string>{"boundary 512 bytes, partition start 31.5 KiB, partition table mbr",
                                   "cluster size 4 KiB"});
    CHECK(plan->order.kind == plan::OrderKind::counterbalanced);
    CHECK(plan->repeats == 6);
    CHECK(plan->suites == plan::price_suites(false));
    CHECK(plan::destroys(*plan));
    request.fs = "hfs+j";
    request.quick = true;
    CHECK(price_plan(request)->price->deviations == std::vector<std::string>{"HFS+"});
    CHECK(price_plan(request)->suites == plan::price_suites(true));
}

TEST_CASE("a price against a profile is one against what the profile makes of the medium") {
    const Image image;
    PriceRequest request = image.request();
    request.profile = "sd";
    const auto plan = price_plan(request);
    INFO(reason(plan));
    REQUIRE(plan);
    CHECK(plan->formats[0].profile == media::FormatProfile::sd);
    CHECK(plan->price->deviations == std::vector<std::string>{"partition start 31.5 KiB, partition table mbr"});
    request.fs = "exfat";
    CHECK(price_plan(request)->price->deviations ==
          std::vector<std::string>{"boundary 512 bytes, partition start 31.5 KiB, partition table mbr"});
    request.profile = "vms";
    CHECK_THAT(reason(price_plan(request)), ContainsSubstring("--profile: unknown format profile \"vms\""));
}

TEST_CASE("deviations are given as in a plan, objects included") {
    const Image image;
    PriceRequest request = image.request();
    request.deviations = {R"({"cluster_size": "128KiB", "label": "X"})", "boundary:1MiB"};
    request.repeats = 8;
    const auto plan = price_plan(request);
    INFO(reason(plan));
    REQUIRE(plan);
    CHECK(plan->price->deviations == std::vector<std::string>{"cluster size 128 KiB, label X", "boundary 1 MiB"});
    CHECK(plan->repeats == 8);
}

TEST_CASE("what is wrong with a price is said by the option that says it, before anything is touched") {
    const Image image;
    const auto with = [&](auto change) {
        PriceRequest request = image.request();
        change(request);
        return reason(price_plan(request));
    };
    using R = PriceRequest;
    CHECK_THAT(with([](R& r) { r.target.confirm.clear(); }), ContainsSubstring("confirm it with --confirm"));
    CHECK_THAT(with([](R& r) { r.target.name = "/no/such"; }), ContainsSubstring("no such device, image or directory"));
    CHECK_THAT(with([](R& r) { r.target.name = "/tmp"; }),
               ContainsSubstring("/tmp is a directory, and formats are made on"));
    CHECK_THAT(with([](R& r) { r.target.confirm = "other"; }),
               ContainsSubstring("the confirmation does not match: type the path of its image file"));
    CHECK(with([](R& r) {
              r.fs = "exfta";
              r.deviations = {"misaligned"};
          }) == "--fs: unknown file system \"exfta\"; did you mean \"exfat\"?");
    CHECK(with([](R& r) { r.fs = "apfs"; }) == "apfs has no usual deviations; name one with --deviation");
    CHECK(with([](R& r) {
              r.deviations = {"misaligned", "cluster_size:5KiB"};
          }) == "--deviation cluster_size:5KiB: must be a power of two from 512 bytes to 32 MiB, is \"5KiB\"");
    CHECK_THAT(with([](R& r) { r.deviations = {"{broken"}; }),
               ContainsSubstring("--deviation {broken: must be what differs"));
    CHECK(with([](R& r) { r.repeats = 5; }) ==
          "--repeats: must be even for the order \"counterbalanced\", is 5; say 6");
    CHECK_THAT(with([](R& r) { r.repeats = 2; }), ContainsSubstring("--repeats: must be at least 4 for a price"));
}
