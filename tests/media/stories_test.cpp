// SPDX-License-Identifier: GPL-3.0-or-later
/// Plays every safety story twice: with udev, and with plain sysfs as a static program sees the machine.
#include <unistd.h>

#include <set>

#include "host/media/claim.hpp"
#include "host/media/linux/block_directory.hpp"
#include "host/media/linux/linux_discovery.hpp"
#include "tests/catch.hpp"
#include "tests/media/stories.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::media::stories;

namespace {

std::vector<Story> all_stories() {
    std::vector<Story> all;
    for (const auto& chapter : {system_disk_stories(), somebodys_data_stories(), kind_of_medium_stories(),
                                naming_stories(), change_stories(), doubt_stories()})
        all.insert(all.end(), chapter.begin(), chapter.end());
    return all;
}

/// A stand-in for every destructive phase: it writes over the start of whatever the claim hands it.
Result<void> erase(int descriptor) {
    const std::vector<char> pattern(64 << 10, 'X');
    if (::pwrite(descriptor, pattern.data(), pattern.size(), 0) != static_cast<ssize_t>(pattern.size()))
        return fail(Errc::io_failed, "nothing to write to");
    return {};
}

/// What a person sees, and what the disks have to say about it.
struct Ending {
    Result<void> outcome;
    std::vector<std::string> written;
};

Ending play(TestBed& bed, const Story& story, std::unique_ptr<BlockDirectory> directory) {
    Machine machine(bed);
    story.machine(machine);
    DiskFarm& farm = machine.farm();
    LinuxDiscovery discovery(
        std::move(directory), [&farm](const std::string& node) { return farm.look(node); }, without_the_real_kernel());
    if (story.before_open) farm.before_open = [&] { story.before_open(machine); };
    if (story.after_open) farm.after_open = [&] { story.after_open(machine); };

    std::string confirmation = story.confirmation;
    if (confirmation == "(its image)") confirmation = discovery.identify(story.target)->backing_file;
    auto claim = claim_erasable(discovery, farm, story.target, confirmation);
    // A claim alone writes nothing, whether it is granted or not.
    REQUIRE(farm.written() == std::vector<std::string>{});
    if (!claim) return {fail(claim.error()), farm.written()};

    if (story.after_claim) story.after_claim(machine);
    auto still = claim->recheck(discovery);
    if (still) return {erase(claim->descriptor()), farm.written()};

    // Void for good: no descriptor to write through, no second chance.
    CHECK(claim->descriptor() == -1);
    CHECK_FALSE(erase(claim->descriptor()));
    CHECK_THAT(reason(claim->recheck(discovery)), ContainsSubstring("an earlier check of this claim failed"));
    return {still, farm.written()};
}

void check(const Story& story, const Ending& ending) {
    const bool may_write = !story.may_write.empty();
    const auto expected =
        may_write ? std::vector<std::string>{story.may_write + ": 65536 bytes"} : std::vector<std::string>{};
    CHECK(ending.written == expected);
    if (may_write) {
        CHECK(reason(ending.outcome) == "success");
        return;
    }
    REQUIRE_FALSE(story.says.empty());
    CHECK_THAT(reason(ending.outcome), ContainsSubstring(story.says));
    CHECK(reason(ending.outcome).find('\n') == std::string::npos);
    REQUIRE_FALSE(ending.outcome);
    const auto code = ending.outcome.error().code;
    CHECK((code == Errc::refused || code == Errc::no_medium || code == Errc::bad_request));
}

} // namespace

TEST_CASE("no story ends in a write to the wrong disk, where udev describes the devices") {
    static TestBed bed; // Catch runs this function once for each section
    for (const Story& story : all_stories()) {
        DYNAMIC_SECTION(story.name) {
            check(story, play(bed, story, make_udev_directory()));
        }
    }
}

TEST_CASE("no story ends in a write to the wrong disk, where only sysfs describes the devices") {
    static TestBed bed;
    for (const Story& story : all_stories()) {
        DYNAMIC_SECTION(story.name) {
            check(story, play(bed, story, make_sysfs_directory()));
        }
    }
}

TEST_CASE("the stories are told once each, and most of them end without a write") {
    std::set<std::string> names;
    int refused = 0;
    for (const Story& story : all_stories()) {
        INFO(story.name);
        CHECK(names.insert(story.name).second);
        CHECK(story.may_write.empty() != story.says.empty());
        refused += story.may_write.empty() ? 1 : 0;
    }
    std::cout << "safety stories: " << names.size() << ", of which " << refused << " end without a write\n";
    CHECK(names.size() >= 60);
    CHECK(refused >= 40);
}
