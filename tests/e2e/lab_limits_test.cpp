// SPDX-License-Identifier: GPL-3.0-or-later
/// If a prerequisite of the lab is missing (a program, a package or disk space), the lab ends with a one-line error,
/// and no medium gets a fault.
#include <algorithm>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"
#include "tests/json.hpp"
#include "tests/sample.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using nlohmann::json;

namespace {

/// A file system in memory of variable size; the destructor unmounts it.
class SmallDisk {
public:
    explicit SmallDisk(const std::filesystem::path& at) : at_(at) {
        std::filesystem::create_directories(at);
        mounted_ = tool({"mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", at.string()}).status == 0;
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    ~SmallDisk() {
        if (mounted_) (void)tool({"umount", at_.string()});
    }
    [[nodiscard]] bool mounted() const { return mounted_; }
    void grow() const { (void)tool({"mount", "-o", "remount,size=400m", at_.string()}); }

private:
    std::filesystem::path at_;
    bool mounted_{false};
};

std::string write_space_plan(const Folder& folder) {
    write_file(folder / "card.json", R"({"claimed_bytes": "64MiB"})");
    write_file(folder / "plan.json",
               json{{"mediarig_plan", 1},
                    {"name", "room"},
                    {"media", {{{"slot", 1}, {"name", "one"}}}},
                    {"lab", {{{"slot", 1}, {"kind", "usb"}, {"card", (folder / "card.json").string()}}}},
                    {"suites", {{{"suite", "verify"}, {"where", "raw"}}}}}
                   .dump());
    return (folder / "plan.json").string();
}

std::vector<std::string> run_words(const Folder& folder, bool resume = false) {
    std::vector<std::string> words{"run", write_space_plan(folder), "--quiet", "--store", (folder / "r.db").string()};
    if (resume) words.emplace_back("--resume");
    return words;
}

std::string processes_of(const Folder& folder) {
    return tool({"pgrep", "-f", "(nbdkit|qemu-system).*" + folder.path().string()}).out;
}

bool has_image() {
    const Folder folder;
    return call_mediarig({"lab", "info"}, folder.path()).status == 0;
}

} // namespace

TEST_CASE(
    "a disk that fills while media grow is reported, no medium gets a fault, and the campaign resumes once space is "
    "free") {
    MEDIARIG_LAB_PART(0);
    if (!is_root()) MEDIARIG_SKIP("needs root to mount a small file system");
    if (!has_image()) MEDIARIG_SKIP("the lab has no guest image");
    const Folder folder;
    const SmallDisk disk(folder / "lab");
    if (!disk.mounted()) MEDIARIG_SKIP("a file system in memory cannot be mounted here");
    const ProgramOutput full = call_mediarig(run_words(folder), folder.path());
    CAPTURE(full.out, full.err);
    CHECK(full.status == 3);
    CHECK_THAT(full.err, ContainsSubstring("this computer could not store the data of the card in slot 1 in " +
                                           (folder / "lab").string()));
    CHECK_THAT(full.err, ContainsSubstring("this is not a fault of the medium"));
    CHECK(full.err.starts_with("one: nothing has been checked yet\nmediarig: campaign "));
    CHECK(std::count(full.err.begin(), full.err.end(), '\n') == 2);
    CHECK(full.out == "one: no verdict: Not judged: the campaign did not finish.\n");
    CHECK(processes_of(folder).empty());
    disk.grow();
    const ProgramOutput resumed = call_mediarig(run_words(folder, true), folder.path());
    CAPTURE(resumed.err);
    CHECK(resumed.out == "one: PASS\n");
    CHECK(resumed.status == 0);
}

TEST_CASE("a missing prerequisite of the lab is named in a one-line error, and no process remains") {
    const Folder folder;
    const std::string nothing = "XDG_CACHE_HOME=" + (folder / "cache").string();
    const std::vector<std::string> own{"MEDIARIG_LAB_DIR=" + (folder / "l").string(),
                                       "MEDIARIG_STORE=" + (folder / "r.db").string()};
    struct Row {
        std::string what;
        std::vector<std::string> words;
        std::string setting;
        std::string line;
    };
    const Row rows[] = {
        {"no QEMU for a campaign", run_words(folder), "MEDIARIG_QEMU=/nowhere/qemu",
         "the lab needs /nowhere/qemu, which is not installed: install the package qemu-system-x86"},
        {"no QEMU for a resident lab",
         {"lab", "start"},
         "MEDIARIG_QEMU=/nowhere/qemu",
         "the lab needs /nowhere/qemu, which is not installed: install the package qemu-system-x86"},
        {"no image for a resident lab", {"lab", "start"}, nothing, "mediarig lab build"},
        {"no image for lab info", {"lab", "info"}, nothing, "mediarig lab build"},
    };
    const bool image = has_image();
    for (const Row& row : rows) {
        if (row.setting != nothing && !image) continue; // a missing image is reported first
        CAPTURE(row.what);
        std::vector<std::string> settings = own;
        settings.push_back(row.setting);
        const ProgramOutput output = call_mediarig(row.words, folder.path(), settings);
        CAPTURE(output.out, output.err);
        CHECK(output.status == 3);
        CHECK_THAT(output.err, ContainsSubstring(row.line));
        CHECK(std::count(output.err.begin(), output.err.end(), '\n') == 1);
        CHECK(processes_of(folder).empty());
        CHECK_FALSE(std::filesystem::exists(folder / "l"));
    }
}

TEST_CASE("without network and cached packages the image build fails with a one-line error") {
    const Folder folder;
    const ProgramOutput output = call_mediarig(
        {"lab", "build", "--quiet"}, folder.path(),
        {"XDG_CACHE_HOME=" + (folder / "cache").string(), "MEDIARIG_DEBIAN_MIRROR=http://127.0.0.1:9/debian"});
    CAPTURE(output.out, output.err);
    CHECK(output.status == 3);
    CHECK(output.out.empty());
    CHECK(std::count(output.err.begin(), output.err.end(), '\n') == 1);
    CHECK_THAT(output.err, ContainsSubstring("127.0.0.1"));
}
