// SPDX-License-Identifier: GPL-3.0-or-later
/// Plays every safety scenario twice: with udev, and with plain sysfs, which a static program uses.
#include <unistd.h>

#include <set>

#include "host/media/claim/claim.hpp"
#include "host/media/claim/linux/kernel/udev_properties.hpp"
#include "host/media/claim/linux/linux_discovery.hpp"
#include "tests/catch.hpp"
#include "tests/media/claim/device_trees/scenarios.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::media::scenarios;

namespace {

std::vector<Scenario> all_scenarios() {
    std::vector<Scenario> all;
    for (const auto& chapter : {system_disk_scenarios(), somebodys_data_scenarios(), kind_of_medium_scenarios(),
                                naming_scenarios(), change_scenarios(), doubt_scenarios()})
        all.insert(all.end(), chapter.begin(), chapter.end());
    return all;
}

/// Represents every destructive phase: overwrites the start of the claimed device.
Result<void> erase(int descriptor) {
    const std::vector<char> pattern(64 << 10, 'X');
    if (::pwrite(descriptor, pattern.data(), pattern.size(), 0) != static_cast<ssize_t>(pattern.size()))
        return fail(Errc::io_failed, "nothing to write to");
    return {};
}

/// Visible result of a scenario, and the written bytes of each disk.
struct Ending {
    Result<void> outcome;
    std::vector<std::string> written;
};

Ending play(TestBed& bed, const Scenario& scenario, const UdevQuery& udev) {
    Machine machine(bed);
    scenario.machine(machine);
    DiskFarm& farm = machine.farm();
    LinuxDiscovery discovery(
        udev, [&farm](const std::string& node) { return farm.look(node); }, without_the_real_kernel());
    if (scenario.before_open) farm.before_open = [&] { scenario.before_open(machine); };
    if (scenario.after_open) farm.after_open = [&] { scenario.after_open(machine); };

    std::string confirmation = scenario.confirmation;
    if (confirmation == "(its image)") confirmation = discovery.identify(scenario.target)->backing_file;
    auto claim = claim_erasable(discovery, farm, scenario.target, confirmation);
    // A claim alone writes nothing, granted or not.
    REQUIRE(farm.written() == std::vector<std::string>{});
    if (!claim) return {fail(claim.error()), farm.written()};

    if (scenario.after_claim) scenario.after_claim(machine);
    auto still = claim->recheck(discovery);
    if (still) return {erase(claim->descriptor()), farm.written()};

    // The claim is permanently void, so the descriptor is closed.
    CHECK(claim->descriptor() == -1);
    CHECK_FALSE(erase(claim->descriptor()));
    CHECK_THAT(reason(claim->recheck(discovery)), ContainsSubstring("an earlier check of this claim failed"));
    return {still, farm.written()};
}

void check(const Scenario& scenario, const Ending& ending) {
    const bool may_write = !scenario.may_write.empty();
    const auto expected =
        may_write ? std::vector<std::string>{scenario.may_write + ": 65536 bytes"} : std::vector<std::string>{};
    CHECK(ending.written == expected);
    if (may_write) {
        CHECK(reason(ending.outcome) == "success");
        return;
    }
    REQUIRE_FALSE(scenario.says.empty());
    CHECK_THAT(reason(ending.outcome), ContainsSubstring(scenario.says));
    CHECK(reason(ending.outcome).find('\n') == std::string::npos);
    REQUIRE_FALSE(ending.outcome);
    const auto code = ending.outcome.error().code;
    CHECK((code == Errc::refused || code == Errc::no_medium || code == Errc::bad_request));
}

} // namespace

TEST_CASE("no scenario writes to the wrong disk with udev") {
    static TestBed bed; // Catch runs this function once for each section
    for (const Scenario& scenario : all_scenarios()) {
        DYNAMIC_SECTION(scenario.name) {
            check(scenario, play(bed, scenario, with_udev()));
        }
    }
}

TEST_CASE("no scenario writes to the wrong disk with sysfs only") {
    static TestBed bed;
    for (const Scenario& scenario : all_scenarios()) {
        DYNAMIC_SECTION(scenario.name) {
            check(scenario, play(bed, scenario, without_udev()));
        }
    }
}

TEST_CASE("the scenarios are distinct and most of them end without a write") {
    std::set<std::string> names;
    int refused = 0;
    for (const Scenario& scenario : all_scenarios()) {
        INFO(scenario.name);
        CHECK(names.insert(scenario.name).second);
        CHECK(scenario.may_write.empty() != scenario.says.empty());
        refused += scenario.may_write.empty() ? 1 : 0;
    }
    std::cout << "safety scenarios: " << names.size() << ", of which " << refused << " end without a write\n";
    CHECK(names.size() >= 60);
    CHECK(refused >= 40);
}
