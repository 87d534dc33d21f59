// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/figures/caveats.hpp"

#include "host/report/output/terminal.hpp"
#include "host/report/tables/tables.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/report/rendered.hpp"

using namespace mediarig;
using namespace mediarig::report;
using namespace mediarig::tests;
using workload::CachePolicy;

namespace {

struct DeviceResults {
    std::string format, driver;
    CachePolicy cache{CachePolicy::direct};
    std::optional<measure::Severity> limit{};
};

/// One device with a pass of quickbench under each format.
store::CampaignView campaign_of(const std::vector<DeviceResults>& formats) {
    store::CampaignView view;
    view.devices.resize(1);
    for (const DeviceResults& one : formats) {
        store::PassView pass;
        pass.pass.format = one.format;
        pass.pass.job.suite = "quickbench";
        pass.pass.mounted = media::MountReport{.mount_point = "/m", .driver = one.driver};
        if (one.limit)
            pass.pass.mounted->limits.push_back({.kind = measure::FindingKind::driver_limit,
                                                 .severity = *one.limit,
                                                 .detail = "a limit",
                                                 .offset = {}});
        pass.cells.push_back(fakes::sample_cell("standard", workload::Access::sequential_read, 4_KiB, 1_MiB, 10));
        pass.cells.back().evidence.used = one.cache;
        view.devices[0].passes.push_back(std::move(pass));
    }
    return view;
}

std::string caveat_of(const std::vector<DeviceResults>& formats) {
    const auto view = campaign_of(formats);
    return caveat_about(view, Figures(view).subjects("quickbench"));
}

const DeviceResults exfat{.format = "exfat", .driver = "exfat", .limit = measure::Severity::note};
const DeviceResults forced{
    .format = "hfs+j", .driver = "hfsplus (journal not used)", .limit = measure::Severity::warning};
const DeviceResults experimental{.format = "apfs",
                                 .driver = "apfs (linux-apfs-rw 0.3.22, experimental)",
                                 .cache = CachePolicy::dropped,
                                 .limit = measure::Severity::warning};
const std::string begin = "Compare with care: the drivers differ, not only the formats: ";

} // namespace

TEST_CASE("if formats were measured with different drivers, the caveat names each driver and its data path") {
    CHECK(caveat_of({exfat, forced, experimental}) ==
          begin +
              "HFS+ Journaled with the driver hfsplus (journal not used); APFS with the driver apfs (linux-apfs-rw "
              "0.3.22, experimental), through the page cache without O_DIRECT.");
    CHECK(caveat_of({exfat, {.format = "apfs", .driver = "apfs", .cache = CachePolicy::dropped}}) ==
          begin + "APFS with the driver apfs, through the page cache without O_DIRECT.");
    CHECK(caveat_of({exfat, {.format = "apfs", .driver = "apfs", .cache = CachePolicy::cached}}) ==
          begin + "APFS with the driver apfs, from the page cache.");
}

TEST_CASE("if all formats were measured with one driver that has limits, the caveat names this driver") {
    const auto behind_fuse = [](std::string format) {
        return DeviceResults{.format = std::move(format),
                             .driver = "exfat-fuse",
                             .cache = CachePolicy::dropped,
                             .limit = measure::Severity::warning};
    };
    CHECK(caveat_of({behind_fuse("exfat"), behind_fuse("exfat-2")}) ==
          "All compared formats used the driver exfat-fuse, whose limits are part of every number.");
}

TEST_CASE("formats with equal data paths, or a single format, have no caveat") {
    CHECK(caveat_of({exfat, {.format = "hfs+", .driver = "hfsplus", .limit = measure::Severity::note}}).empty());
    CHECK(caveat_of({experimental}).empty());
    // A page cache that all formats used makes no difference between the formats.
    CHECK(caveat_of({{.format = "exfat", .driver = "exfat", .cache = CachePolicy::dropped},
                     {.format = "apfs", .driver = "apfs", .cache = CachePolicy::dropped}})
              .empty());
    // Two devices with one format each do not compare formats.
    auto view = campaign_of({exfat, experimental});
    view.devices.resize(2);
    view.devices[1].passes.push_back(view.devices[0].passes[1]);
    view.devices[0].passes.pop_back();
    CHECK(caveat_about(view, Figures(view).subjects("quickbench")).empty());
}

TEST_CASE("the caveat of a comparison is printed once, directly below its title, in terminal and page") {
    auto view = fakes::sample_campaign();
    for (store::DeviceView& device : view.devices)
        for (store::PassView& pass : device.passes)
            if (pass.pass.mounted && pass.pass.format == "apfs")
                for (measure::Finding& limit : pass.pass.mounted->limits) limit.severity = measure::Severity::warning;
    const std::string caveat = begin + "APFS with the driver apfs.";
    const std::string text = render_tables(view, {.width = 400});
    CHECK_THAT(text, ContainsSubstring("Formats compared: fast [1]\n" + caveat + "\n"));
    CHECK(text.find("with care", text.find(caveat) + caveat.size()) == std::string::npos);

    const std::string page = page_of(view);
    const auto said = page.find("<p class=\"caveat\">" + caveat);
    CHECK(page.find("<section id=\"formats\">") < said);
    CHECK(said < page.find("<table", page.find("<section id=\"formats\">")));
    CHECK(page.find("with care", said + caveat.size()) == std::string::npos);
}
