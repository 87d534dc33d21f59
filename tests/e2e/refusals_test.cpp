// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs every command on media with every reason for a refusal, and compares the exit statuses with a table.
#include <sys/stat.h>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using nlohmann::json;

namespace {

using Words = std::vector<std::string>;

/// A named target and its confirmation.
struct Wanted {
    std::string target, confirm;
};

std::string plan_for(const Wanted& wanted) {
    const bool device = wanted.target.starts_with("/dev/");
    const json medium{{device ? "path" : "image", wanted.target}, {"confirm", wanted.confirm}};
    return json{{"mediarig_plan", 1},
                {"name", "refused"},
                {"media", {medium}},
                {"formats", {"exfat"}},
                {"suites", {{{"suite", "quickbench"}, {"quick", true}}}}}
        .dump();
}

struct Command {
    const char* name;
    bool by_plan; ///< the target of the command is in a plan file
    bool keeps;   ///< after reading its plan, the command leaves a campaign that can be resumed
    Words (*words)(const Wanted&, const Folder&);
};

const Command commands[] = {
    {"format", false, false,
     [](const Wanted& w, const Folder&) { return Words{"format", w.target, "--fs", "exfat", "--confirm", w.confirm}; }},
    {"format --profile", false, false,
     [](const Wanted& w, const Folder&) {
         return Words{"format", w.target, "--profile", "sd", "--confirm", w.confirm};
     }},
    {"bench", false, false,
     [](const Wanted& w, const Folder&) {
         return Words{"bench", w.target, "--suite", "quickbench", "--quick", "--confirm", w.confirm};
     }},
    {"bench --raw", false, false,
     [](const Wanted& w, const Folder&) {
         return Words{"bench", w.target, "--suite", "quickbench", "--quick", "--raw", "--confirm", w.confirm};
     }},
    {"verify", false, false,
     [](const Wanted& w, const Folder&) {
         return Words{"verify", w.target, "--confirm", w.confirm};
     }},
    {"verify --probe", false, false,
     [](const Wanted& w, const Folder&) {
         return Words{"verify", w.target, "--probe", "--confirm", w.confirm};
     }},
    {"check", false, false,
     [](const Wanted& w, const Folder&) {
         return Words{"check", w.target, "--confirm", w.confirm};
     }},
    {"verify --probe --full", false, false,
     [](const Wanted& w, const Folder&) {
         return Words{"verify", w.target, "--probe", "--full", "--confirm", w.confirm};
     }},
    {"compare", false, false,
     [](const Wanted& w, const Folder&) {
         return Words{"compare", w.target, "--self-test", "--quick", "--confirm", w.confirm};
     }},
    {"compare --dry-run", false, false,
     [](const Wanted& w, const Folder&) {
         return Words{"compare", w.target, "--self-test", "--quick", "--dry-run", "--confirm", w.confirm};
     }},
    {"run", true, true,
     [](const Wanted&, const Folder& f) {
         return Words{"run", f / "p.json"};
     }},
    {"run --dry-run", true, false,
     [](const Wanted&, const Folder& f) {
         return Words{"run", f / "p.json", "--dry-run"};
     }},
};

/// A reason to refuse a medium.
struct Reason {
    std::string name;
    Wanted wanted;
    int status;
    int status_of_plan; ///< status for a plan
    bool of_request;    ///< the reason is known before any access to a medium
    bool of_remains{};  ///< a command that erases nothing ignores the reason
};

std::size_t campaigns_in(const Folder& folder) {
    const ProgramOutput output = call_mediarig({"campaigns", "--json", "--store", folder / "r.db"}, folder.path());
    return output.status == 0 ? json::parse(output.out).at("campaigns").size() : 0;
}

/// The disk of the running system in the output of mediarig, empty if it is not listed.
Wanted system_disk(const Folder& folder) {
    const ProgramOutput output = call_mediarig({"devices", "--json"}, folder.path());
    REQUIRE(output.status == 0);
    for (const json& device : json::parse(output.out).at("devices"))
        for (const json& refusal : device.at("refusals"))
            if (refusal.at("kind") == "system_disk")
                return {device.at("node").get<std::string>(), device.at("confirm").get<std::string>()};
    return {};
}

void check_all(const Reason& why, const Folder& folder) {
    write_file(folder / "p.json", plan_for(why.wanted));
    for (const Command& command : commands) {
        CAPTURE(why.name, command.name);
        if (why.of_remains && command.name == std::string_view("bench")) continue;
        std::filesystem::remove(folder / "r.db");
        Words words = command.words(why.wanted, folder);
        if (!std::string_view(command.name).starts_with("format")) {
            words.emplace_back("--store");
            words.push_back(folder / "r.db");
        }
        const ProgramOutput output = call_mediarig(words, folder.path());
        CAPTURE(output.out, output.err);
        CHECK(output.status == (command.by_plan ? why.status_of_plan : why.status));
        // The confirmation of an image is compared with its path before the campaign begins. The medium of a plan may
        // be plugged in later.
        const bool begun = why.status == why.status_of_plan && (command.by_plan || !why.of_request);
        const bool kept = command.keeps && begun;
        CHECK(campaigns_in(folder) == (kept ? 1U : 0U));
        CHECK(left_behind_at_last(folder.path()) == Words{});
    }
}

} // namespace

TEST_CASE("every command exits with 4 for safety and 2 for an invalid request, and stores no campaign") {
    if (!is_root()) MEDIARIG_SKIP("needs root: a claim that lacks a right is not a refusal");
    const Folder folder;
    const std::string image = folder / "card.img", vault = folder / "vault.img", small = folder / "small.img";
    make_image(image, 64 << 20);
    // A header of LUKS version 1, as libblkid recognises it: magic, version, and a UUID.
    std::string header("LUKS\xba\xbe\0\1", 8);
    header.resize(168);
    header += "0d8b7c1e-2b2f-4d53-9a70-3d9b6b0a4c11";
    write_file(vault, header);
    std::filesystem::resize_file(vault, 64 << 20);

    // The same volume at 1 MiB: in an MBR that counts in sectors of 4096 bytes, and without a table.
    const std::string larger = folder / "larger.img", lost = folder / "lost.img";
    std::string first(512, '\0');
    first.replace(446, 16, std::string("\0\0\2\0\x83\xfe\xff\xff\0\1\0\0\0\x10\0\0", 16)); // 4096 sectors from 256 on
    first.replace(510, 2, "\x55\xaa");
    write_file(larger, first + std::string((1 << 20) - 512, '\0') + header);
    write_file(lost, std::string(1 << 20, '\0') + header);
    for (const std::string& file : {larger, lost}) std::filesystem::resize_file(file, 64 << 20);

    std::vector<Reason> reasons{
        // A plan with an image contains the path twice, so a wrong confirmation is a fault of the plan.
        {"another confirmation", {image, "WRONG"}, 4, 2, false},
        {"an encrypted medium", {vault, vault}, 4, 4, false},
        {"an encrypted volume in a table of larger sectors", {larger, larger}, 4, 4, false},
        {"an encrypted volume that no table lists", {lost, lost}, 4, 4, false, true},
        {"a missing target", {folder / "none.img", folder / "none.img"}, 2, 2, true},
        {"a character device", {"/dev/null", "/dev/null"}, 2, 2, true},
    };
    if (const Wanted disk = system_disk(folder); !disk.target.empty()) {
        reasons.push_back({"the system's disk", disk, 4, 4, false});
        reasons.push_back({"the system's disk, and another confirmation", {disk.target, "WRONG"}, 4, 4, false});
    }
    // A command that erases nothing requires no confirmation.
    if (const Wanted disk = system_disk(folder); !disk.target.empty()) {
        for (const Words& words :
             {Words{"verify", disk.target}, Words{"format", disk.target, "--fs", "exfat"},
              Words{"format", disk.target, "--profile", "sd"}, Words{"compare", disk.target, "--self-test"},
              Words{"bench", disk.target, "--suite", "quickbench", "--raw"}}) {
            const ProgramOutput output = call_mediarig(words, folder.path());
            CAPTURE(words.front(), output.err);
            CHECK(output.status == 4);
            CHECK(output.err.find("--confirm") == std::string::npos);
        }
    }
    const std::string before = read_file(image), locked = read_file(vault);
    for (const Reason& why : reasons) check_all(why, folder);
    CHECK(read_file(image) == before);
    CHECK(read_file(vault) == locked);
}

TEST_CASE("a dry run needs no confirmation and reports the missing parts of a run") {
    const Folder folder;
    make_image(folder / "card.img", 64 << 20);
    const ProgramOutput output = call_mediarig(
        {"compare", folder / "card.img", "--self-test", "--quick", "--dry-run", "--json", "--agent", "local"},
        folder.path());
    const json medium = json::parse(output.out).at("media").at(0);
    if (is_root()) {
        CHECK(output.status == 0);
        CHECK(medium.at("problem") == "");
    } else {
        CHECK(output.status == 3);
        CHECK_THAT(medium.at("problem").get<std::string>(), ContainsSubstring("may not claim, format or mount"));
    }
    const ProgramOutput kept = call_mediarig(
        {"compare", folder / "card.img", "--self-test", "--dry-run", "--plan", folder / "p.json"}, folder.path());
    CHECK(kept.status == 2);
    CHECK_THAT(kept.err, ContainsSubstring("confirm an image by its path, --confirm "));
    CHECK_FALSE(std::filesystem::exists(folder / "p.json"));
}

TEST_CASE("for slots without a rig and images that are too small, a dry run reports the same faults as a run") {
    const Folder folder;
    json lot = json::parse(read_file(MEDIARIG_EXAMPLES "/lot.plan.json"));
    lot.erase("lab");
    write_file(folder / "lot.json", lot.dump());
    const ProgramOutput slots = call_mediarig({"run", folder / "lot.json", "--dry-run"}, folder.path());
    CHECK(slots.status == 2);
    CHECK_THAT(slots.err,
               ContainsSubstring("medium 'slot-1' is in slot 1, and no rig is connected; name one with --rig"));
    CHECK(slots.out.empty());
    make_image(folder / "tiny.img", 2048);
    write_file(folder / "p.json", plan_for({folder / "tiny.img", folder / "tiny.img"}));
    const ProgramOutput small = call_mediarig({"run", folder / "p.json", "--dry-run", "--json"}, folder.path());
    CHECK(small.status == 2);
    CHECK_THAT(json::parse(small.out).at("media").at(0).at("problem").get<std::string>(),
               ContainsSubstring("less than 1 MiB; suite quickbench needs 1.05 MB, with 2.05 kB available: free some "
                                 "space, or use a larger medium"));
    CHECK(call_mediarig({"run", folder / "p.json", "--store", folder / "r.db"}, folder.path()).status == 2);
}

TEST_CASE("a dry run lists every reason against a test and the steps for the remaining media") {
    const Folder folder;
    const std::string card = folder / "card.img", tiny = folder / "tiny.img";
    make_image(card, 64 << 20);
    make_image(tiny, 2 << 20);
    const auto medium = [](const std::string& image) { return json{{"image", image}, {"confirm", image}}; };
    json plan{{"mediarig_plan", 1},
              {"media", {medium(card), medium(tiny), medium(folder / "none.img")}},
              {"suites", {{{"suite", "quickbench"}, {"quick", true}, {"blocks", {"64KiB"}}, {"span", "8MiB"}}}}};
    plan["suites"][0]["volume"] = "1MiB";
    plan["suites"][0]["where"] = "raw";
    write_file(folder / "Los ä 1.json", plan.dump());
    const Words dry_run{"run", folder / "Los ä 1.json", "--dry-run", "--json"};
    const ProgramOutput dry = call_mediarig(dry_run, folder.path());
    const json media = json::parse(dry.out).at("media");
    CHECK_THAT(media.at(1).at("problem").get<std::string>(),
               ContainsSubstring("a span of 8.39 MB does not fit into 2.10 MB"));
    CHECK_THAT(media.at(2).at("problem").get<std::string>(), ContainsSubstring("none.img"));
    CHECK(dry.status == 3);
    const Words run{"run", folder / "Los ä 1.json", "--store", folder / "my r.db"};
    const ProgramOutput ran = call_mediarig(run, folder.path());
    CAPTURE(ran.out, ran.err);
    CHECK(ran.status == 3);
    CHECK_THAT(ran.err, ContainsSubstring("tiny.img: this medium will not be tested: a span of 8.39 MB does not fit"));
    CHECK_THAT(ran.err, ContainsSubstring("; resume with: mediarig run '" + (folder / "Los ä 1.json").string() +
                                          "' --resume --store '" + (folder / "my r.db").string() + "'; or "));
}

TEST_CASE("an image that is too small is refused with status 2, confirmed or not") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices");
    const Folder folder;
    const std::string image = (folder / "small.img").string(), store = (folder / "r.db").string();
    make_image(image, 512 << 10);
    for (const Words& words :
         {Words{"verify", image, "--store", store}, Words{"verify", image, "--confirm", image, "--store", store},
          Words{"format", image, "--fs", "exfat"}, Words{"format", image, "--fs", "exfat", "--confirm", image}}) {
        const ProgramOutput output = call_mediarig(words, folder.path());
        CAPTURE(words, output.err);
        CHECK(output.status == 2);
        CHECK_THAT(output.err, ContainsSubstring("less than 1 MiB"));
    }
}

TEST_CASE("a read-only directory is refused with status 2, also for a dry run") {
    const Folder folder;
    write_file(folder / "plan.json",
               R"({"mediarig_plan":1,"media":[{"directory":"/proc"}],"suites":[{"suite":"quickbench","quick":true}]})");
    const std::string wanted = "/proc is on a file system that cannot store files: name a directory of the medium";
    for (const Words& words : {Words{"bench", "/proc", "--suite", "quickbench", "--quick"}, Words{"verify", "/proc"},
                               Words{"inspect", "/proc"}}) {
        CAPTURE(words.front());
        Words all = words;
        if (words.front() != "inspect") all.insert(all.end(), {"--store", folder / "r.db"});
        const ProgramOutput output = call_mediarig(all, folder.path());
        CAPTURE(output.out, output.err);
        CHECK(output.status == 2);
        if (words.front() != "inspect") CHECK_THAT(output.err, ContainsSubstring(wanted));
        CHECK(campaigns_in(folder) == 0);
    }
    const ProgramOutput dry = call_mediarig({"run", folder / "plan.json", "--dry-run", "--json"}, folder.path());
    CHECK(dry.status == 2);
    CHECK(json::parse(dry.out).at("media").at(0).at("problem") == wanted);
}

TEST_CASE("verify of a directory is refused if it would fill the root file system") {
    const Folder folder;
    struct stat here {
    }, root{};
    REQUIRE(::stat(folder.path().c_str(), &here) == 0);
    REQUIRE(::stat("/", &root) == 0);
    if (here.st_dev != root.st_dev) MEDIARIG_SKIP("temporary files lie on a file system of their own");
    // The file size limit prevents a full disk if the program does not refuse.
    const ProgramOutput output = tool({"prlimit", "--fsize=33554432", mediarig_program(), "verify", folder.path(),
                                       "--store", (folder / "r.db").string()});
    CAPTURE(output.out);
    CHECK(output.status == 4);
    const auto refused = ContainsSubstring(
        "is on the root file system (/), which verify would fill: name a directory of the medium, or write less "
        "(--quick, or a \"span\" in a plan)");
    CHECK_THAT(output.err, refused);
    json plan{{"mediarig_plan", 1}, {"media", {{{"directory", folder.path()}}}}, {"suites", {"verify"}}};
    write_file(folder / "plan.json", plan.dump());
    const ProgramOutput dry = call_mediarig({"run", folder / "plan.json", "--dry-run", "--json"}, folder.path());
    CHECK(dry.status == 4);
    CHECK_THAT(json::parse(dry.out).at("media").at(0).at("problem").get<std::string>(), refused);
    plan["suites"] = {{{"suite", "verify"}, {"span", "1MiB"}}};
    write_file(folder / "plan.json", plan.dump());
    CHECK(call_mediarig({"run", folder / "plan.json", "--dry-run"}, folder.path()).status == 0);
}

TEST_CASE("a plan that names the same medium twice by different names is refused before any write") {
    const Folder folder;
    const std::string image = (folder / "card.img").string();
    make_image(image, 64 << 20);
    std::filesystem::create_symlink(image, folder / "link.img");
    std::filesystem::create_hard_link(image, folder / "hard.img");
    for (const char* other : {"link.img", "hard.img"}) {
        CAPTURE(other);
        const std::string second = (folder / other).string();
        write_file(folder / "plan.json",
                   json{{"mediarig_plan", 1},
                        {"name", "twice"},
                        {"lanes", 2},
                        {"media", {{{"image", image}, {"confirm", image}}, {{"image", second}, {"confirm", second}}}},
                        {"formats", {"exfat"}},
                        {"suites", {{{"suite", "quickbench"}, {"quick", true}}}}}
                       .dump());
        const std::string store = (folder / "r.db").string(), plan = (folder / "plan.json").string();
        for (const Words& words : {Words{"run", plan, "--agent", "local", "--store", store},
                                   Words{"run", plan, "--agent", "local", "--store", store, "--dry-run"}}) {
            const ProgramOutput output = call_mediarig(words, folder.path());
            CAPTURE(output.out, output.err);
            CHECK(output.status == 2);
            // A medium that is named by a link is reported by the link's target.
            CHECK_THAT(output.err, ContainsSubstring(" is the medium of " + image + " already"));
        }
        CHECK(call_mediarig({"campaigns", "--store", store}, folder.path()).out.find("twice") == std::string::npos);
    }
    CHECK(read_file(image) == std::string(64 << 20, '\0'));
}

TEST_CASE("an image replaced by a link before its test begins is refused, and the target of the link is not changed") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices");
    const Folder folder;
    const std::string first = (folder / "first.img").string(), second = (folder / "second.img").string();
    make_image(first, 256 << 20);
    make_image(second, 8 << 20);
    const std::string precious(8 << 20, 'p');
    write_file(folder / "other.img", precious);
    write_file(folder / "plan.json",
               json{{"mediarig_plan", 1},
                    {"lanes", 1},
                    {"media", {{{"image", first}, {"confirm", first}}, {{"image", second}, {"confirm", second}}}},
                    {"suites", {{{"suite", "verify"}, {"where", "raw"}}}}}
                   .dump());
    Running running({"run", (folder / "plan.json").string(), "--store", (folder / "r.db").string()}, folder.path());
    REQUIRE(running.says("first.img: claim done"));
    std::filesystem::remove(second);
    std::filesystem::create_symlink(folder / "other.img", second);
    const ProgramOutput output = running.wait();
    CAPTURE(output.out, output.err);
    CHECK(output.status == 4);
    CHECK_THAT(output.err, ContainsSubstring("the confirmation does not match"));
    CHECK(read_file(folder / "other.img") == precious);
}
