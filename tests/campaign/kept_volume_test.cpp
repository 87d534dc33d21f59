// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests which volume of a medium with a partition table a session lets the agent mount and check.
#include "tests/campaign/campaign_fixture.hpp"

using namespace mediarig;
using namespace mediarig::campaign;
using nlohmann::json;

namespace {

constexpr const char* efi_type = "c12a7328-f81f-11d2-ba4b-00a0c93ec93b";

media::InspectedVolume volume(Bytes start, Bytes length, const std::string& file_system, const std::string& type) {
    return {.start = start, .length = length, .file_system = file_system, .parameters = {{"partition_type", type}}};
}

/// Layout of a Mac with one additional volume.
media::InspectReport mac_layout() {
    return {.size = 4_GiB,
            .scheme = "gpt",
            .volumes = {volume(20_KiB, 200_MiB, "fat32", efi_type), volume(201_MiB, 1_GiB, "hfsx+j", "hfs"),
                        volume(2_GiB, 1_GiB, "exfat", "basic")}};
}

struct Kept {
    CampaignFixture campaign;
    explicit Kept(const media::InspectReport& found) {
        campaign.link.answers["inspect"] = [found](const auto&, const auto&) -> Result<json> {
            return media::to_json(found);
        };
        campaign.link.answers["mount"] = [](const json& params, const auto&) -> Result<json> {
            media::MountReport report{.mount_point = "/fake", .driver = "fake", .total = 1_GiB, .free = 1_GiB};
            const auto number = params.value("partition", 0u);
            report.volume = media::VolumeSpan{.start = 201_MiB, .length = 1_GiB, .partition = number};
            report.through_loop = number != 0;
            return media::to_json(report);
        };
        campaign.link.answers["run"] = [](const auto&, const auto&) -> Result<json> {
            return json{{"cells", 0}, {"verify", nullptr}, {"findings", json::array()}};
        };
        campaign.link.answers["unmount"] = [](const auto&, const auto&) -> Result<json> { return json::object(); };
    }
    void run(const std::string& medium, const std::string& formats = R"(["keep"])") {
        const auto summary =
            campaign.run(plan_of(R"({"mediarig_plan": 1, "media": [)" + medium + R"(], "formats": )" + formats +
                                 R"(, "suites": [{"suite": "disktester", "quick": true}]})"));
        REQUIRE(reason(summary) == "success");
    }
    [[nodiscard]] json asked(const std::string& method) const {
        for (const auto& call : campaign.link.calls)
            if (call.method == method)
                return {{"fs", call.params.at("fs")}, {"partition", call.params.value("partition", 0)}};
        return nullptr;
    }
    [[nodiscard]] std::string said_of(plan::StepKind kind) const {
        for (const SessionEvent& event : campaign.events)
            if (const auto* ended = std::get_if<StepEnded>(&event.body); ended && ended->step.kind == kind)
                return ended->detail;
        return "the step did not end";
    }
};

const std::string stick_x = R"({"name": "x", "path": "/dev/sdx"})";

} // namespace

TEST_CASE(
    "a plan that keeps the contents uses the first mountable volume except the EFI system partition, and reports the "
    "rest") {
    Kept kept(mac_layout());
    kept.run(stick_x);
    CHECK(kept.asked("mount") == json{{"fs", "hfsx+j"}, {"partition", 2}});
    CHECK(kept.asked("check") == json{{"fs", "hfsx+j"}, {"partition", 2}});
    CHECK(kept.said_of(plan::StepKind::mount) ==
          "partition 2 (1.07 GB from byte 210763776, through a loop device), driver fake, 1.07 GB free; other volumes "
          "that "
          "could be mounted: 1; choose one by its number");
    const store::PassView& pass = kept.campaign.device(0).passes.at(0);
    CHECK(pass.pass.mounted->volume->partition == 2);
}

TEST_CASE("the plan can choose the partition to keep") {
    Kept kept(mac_layout());
    SECTION("another partition") {
        kept.run(R"({"name": "x", "path": "/dev/sdx", "partition": 3})");
        CHECK(kept.asked("mount") == json{{"fs", "exfat"}, {"partition", 3}});
    }
    SECTION("the EFI system partition") {
        kept.run(R"({"name": "x", "path": "/dev/sdx", "partition": 1})");
        CHECK(kept.asked("mount") == json{{"fs", "fat32"}, {"partition", 1}});
    }
    SECTION("a missing partition") {
        kept.run(R"({"name": "x", "path": "/dev/sdx", "partition": 4})");
        CHECK(kept.asked("mount").is_null());
        CHECK(kept.said_of(plan::StepKind::mount) ==
              "/dev/sdx has no partition 4 (partition 1: fat32 (EFI system partition), 2: hfsx+j, 3: exfat): leave the "
              "number out, or name an existing partition");
    }
}

TEST_CASE(
    "a plan that keeps the contents needs no partition number if the medium has one volume, even without an "
    "inspection") {
    Kept kept({.size = 4_GiB, .scheme = "none", .volumes = {volume({}, 4_GiB, "exfat", "")}});
    SECTION("found by inspection") {
        kept.run(stick_x);
    }
    SECTION("not inspected") {
        kept.campaign.link.answers["inspect"] = [](const auto&, const auto&) -> Result<json> {
            return fail(Errc::io_failed, "unreadable");
        };
        kept.campaign.link.media["/dev/sdx"].file_system = "exfat";
        kept.run(stick_x);
    }
    CHECK(kept.asked("mount") == json{{"fs", "exfat"}, {"partition", 0}});
    CHECK(kept.said_of(plan::StepKind::mount) == "driver fake, 1.07 GB free");
}

TEST_CASE("a plan that keeps the contents of a medium without a volume fails with bad_request and mounts nothing") {
    const auto status = [](Kept& kept) {
        const auto summary = kept.campaign.run(
            plan_of(R"({"mediarig_plan": 1, "media": [)" + std::string(stick_x) +
                    R"(], "formats": ["keep"], "suites": [{"suite": "disktester", "quick": true}]})"));
        REQUIRE(reason(summary) == "success");
        CHECK(summary->incomplete);
        CHECK(kept.asked("mount").is_null());
        return summary->status_of_left;
    };
    SECTION("blank") {
        Kept kept({.size = 4_GiB, .scheme = "none", .volumes = {}});
        CHECK(status(kept) == 2);
    }
    SECTION("with a volume without a driver") {
        Kept kept({.size = 4_GiB, .scheme = "none", .volumes = {volume({}, 4_GiB, "ntfs", "")}});
        kept.campaign.link.media["/dev/sdx"].file_system = "ntfs";
        CHECK(status(kept) == 2);
    }
    SECTION("an unreadable medium") {
        Kept kept({.size = 4_GiB, .scheme = "none", .volumes = {}});
        kept.campaign.link.answers["inspect"] = [](const auto&, const auto&) -> Result<json> {
            return fail(Errc::io_failed, "unreadable");
        };
        CHECK(status(kept) == 3);
    }
}

TEST_CASE("a format made in a partition is mounted and checked there") {
    Kept kept({.size = 4_GiB, .scheme = "none", .volumes = {}});
    kept.campaign.link.answers["format"] = [](const auto&, const auto&) -> Result<json> {
        media::FormatReport report{.fs = media::FileSystem::exfat, .tool = "mkfs.fake", .tool_version = "1"};
        report.partition = media::CreatedPartition{.table = media::TableScheme::gpt,
                                                   .number = 2,
                                                   .start = 201_MiB,
                                                   .length = 1_GiB,
                                                   .tool = "sfdisk",
                                                   .tool_version = "2"};
        return media::to_json(report);
    };
    kept.run(R"({"name": "x", "path": "/dev/sdx", "confirm": "SERIAL-X"})", R"(["exfat"])");
    CHECK(kept.asked("mount") == json{{"fs", "exfat"}, {"partition", 2}});
    CHECK(kept.asked("check") == json{{"fs", "exfat"}, {"partition", 2}});
}

TEST_CASE("a format made on the whole medium is mounted and checked without a partition") {
    Kept kept({.size = 4_GiB, .scheme = "none", .volumes = {}});
    kept.campaign.link.answers["format"] = [](const auto&, const auto&) -> Result<json> {
        return media::to_json(
            media::FormatReport{.fs = media::FileSystem::exfat, .tool = "mkfs.fake", .tool_version = "1"});
    };
    kept.run(R"({"name": "x", "path": "/dev/sdx", "confirm": "SERIAL-X"})", R"(["exfat"])");
    std::size_t asked = 0;
    for (const auto& call : kept.campaign.link.calls) {
        if (call.method != "mount" && call.method != "check") continue;
        ++asked;
        CHECK_FALSE(call.params.contains("partition"));
    }
    CHECK(asked == 2);
}
