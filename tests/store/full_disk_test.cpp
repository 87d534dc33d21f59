// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "host/store/logged_store.hpp"
#include "host/store/sqlite/open_store.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"
#include "tests/store/database.hpp"
#include "tests/store/logged_lines.hpp"
#include "tests/store/machine.hpp"
#include "tests/store/scripted_campaign.hpp"

using namespace mediarig;
using namespace mediarig::store;

namespace {

const std::string starved_campaign = "0193b4c1";
const std::string pass = "m0.r2.exfat.quickbench";
constexpr const char* advice = "on its disk; everything stored before is intact";

/// Stores cells with raw logs until the disk is full. Returns their number and the error.
std::pair<int, Error> fill(Store& store) {
    for (int i = 0;; ++i) {
        const auto kept = store.put_cell(starved_campaign, pass, scripted_cell("cell " + std::to_string(i), 30'000, 1));
        if (!kept) return {i, kept.error()};
        REQUIRE(i < 1000);
    }
}

} // namespace

TEST_CASE("a store on a full disk reports a remedy, keeps stored data and continues once space is free") {
    if (!enter_private_mounts()) MEDIARIG_SKIP("mounting a small disk needs root");
    tests::Scratch scratch;
    SmallDisk disk(scratch / "disk", "size=3m");
    const auto file = scratch / "disk/mediarig.db";
    auto store = open_store(file);
    REQUIRE(store);
    for (const Call& call : scripted_campaign(starved_campaign)) REQUIRE(reason(call.make(**store)) == "success");

    const auto [kept, error] = fill(**store);
    CHECK(kept > 0);
    CHECK(error.code == Errc::store_failed);
    CHECK(error.detail == "storing cell cell " + std::to_string(kept) + " of pass " + pass + ": no space left for " +
                              file.string() + ": delete files " + advice);
    const auto cells = [&] { return (*store)->load(starved_campaign)->devices[0].passes[1].cells.size(); };
    CHECK(cells() == static_cast<std::size_t>(kept));
    const std::string before = told(**store, starved_campaign);

    store->reset();
    store = open_store(file);
    REQUIRE(reason(store) == "success");
    CHECK(told(**store, starved_campaign) == before);
    CHECK(integrity_of(file) == "ok");

    disk.remount("size=16m");
    REQUIRE(reason((*store)->put_cell(starved_campaign, pass, scripted_cell("more", 30'000, 1))) == "success");
    CHECK(cells() == static_cast<std::size_t>(kept) + 1);
}

TEST_CASE("a device log on a full disk keeps whole lines, removes a partial line and continues once space is free") {
    if (!enter_private_mounts()) MEDIARIG_SKIP("mounting a small disk needs root");
    tests::Scratch scratch;
    SmallDisk disk(scratch / "logs", "size=1m");
    auto opened = open_store(scratch / "mediarig.db");
    REQUIRE(opened);
    auto store = make_logged_store(std::move(*opened), scratch / "logs");
    REQUIRE(store);
    for (const Call& call : scripted_campaign(starved_campaign)) REQUIRE(reason(call.make(**store)) == "success");

    const auto [kept, error] = fill(**store);
    const auto log = scratch / ("logs/" + first_device + ".jsonl");
    CHECK(error.code == Errc::store_failed);
    CHECK(error.detail ==
          "cannot write to the device log " + log.string() + " (No space left on device): delete files " + advice);
    const auto unlogged = [&] {
        const auto view = (*store)->load(starved_campaign);
        return missing(lines_for(*view, view->devices.at(0)), logged_lines(log));
    };
    const auto whole = [&] {
        const std::string all = tests::text_of(log);
        return logged_lines(log).size() == static_cast<std::size_t>(std::count(all.begin(), all.end(), '\n'));
    };
    CHECK((*store)->load(starved_campaign)->devices[0].passes[1].cells.size() == static_cast<std::size_t>(kept));
    CHECK(unlogged().empty());
    CHECK(whole());

    disk.remount("size=16m");
    REQUIRE(reason((*store)->put_cell(starved_campaign, pass, scripted_cell("more", 30'000, 1))) == "success");
    CHECK(unlogged().empty());
    CHECK(whole());
}

TEST_CASE("creating a store on a full disk fails with a clear error") {
    if (!enter_private_mounts()) MEDIARIG_SKIP("mounting a small disk needs root");
    tests::Scratch scratch;
    SmallDisk disk(scratch / "disk", "size=4k");
    const auto store = open_store(scratch / "disk/mediarig.db");
    REQUIRE_FALSE(store);
    CHECK(store.error().code == Errc::store_failed);
    CHECK_THAT(store.error().detail, ContainsSubstring("no space left for ") || ContainsSubstring("check its disk"));
}

TEST_CASE("opening a store on a read-only disk fails with a one-line error") {
    if (!enter_private_mounts()) MEDIARIG_SKIP("mounting a small disk needs root");
    tests::Scratch scratch;
    SmallDisk disk(scratch / "disk", "size=4m");
    const auto file = scratch / "disk/mediarig.db";
    REQUIRE(open_store(file));
    constexpr unsigned long read_only = 1; // MS_RDONLY
    disk.remount("", read_only);
    const auto store = open_store(file);
    CHECK(reason(store) == file.string() + " cannot be written (" + (scratch / "disk").string() +
                               ": Read-only file system): make it and its directory writable, or choose another store "
                               "with --store");
}
