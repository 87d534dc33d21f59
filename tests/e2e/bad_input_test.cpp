// SPDX-License-Identifier: GPL-3.0-or-later
/// Each user error gives one line with a next step and the documented exit status.
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"

using namespace mediarig;
using namespace mediarig::e2e;

namespace {

struct Row {
    std::string what;
    std::vector<std::string> words; ///< arguments; @ means the test's folder
    int status;
    std::string line; ///< part of the single line on standard error
};

std::string placed(std::string text, const Folder& folder) {
    for (std::size_t at; (at = text.find('@')) != std::string::npos;) text.replace(at, 1, folder.path().string());
    return text;
}

std::string plan(const std::string& media, const std::string& rest = R"("formats": ["exfat"], "suites": ["verify"])") {
    return R"({"mediarig_plan": 1, "name": "t", "media": [)" + media + "], " + rest + "}";
}

void run_sql(const std::filesystem::path& file, const std::string& sql) {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(file.c_str(), &database) == SQLITE_OK);
    REQUIRE(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(database);
}

void check(const Row& row, const Folder& folder) {
    CAPTURE(row.what);
    std::vector<std::string> words;
    for (const std::string& word : row.words) words.push_back(placed(word, folder));
    const ProgramOutput output =
        call_mediarig(words, folder.path(), {"MEDIARIG_STORE=" + (folder / "default.db").string()});
    CAPTURE(output.err, output.out);
    CHECK(output.status == row.status);
    CHECK_THAT(output.err, ContainsSubstring(placed(row.line, folder)));
    // The output is one line without a chain of exceptions.
    const auto prefixed = output.err.find("mediarig: ");
    REQUIRE(prefixed != std::string::npos);
    CHECK(std::count(output.err.begin() + static_cast<std::ptrdiff_t>(prefixed), output.err.end(), '\n') == 1);
    CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});
}

} // namespace

TEST_CASE("invalid command lines exit with status 2 and one line") {
    const Folder folder;
    const Row rows[] = {
        {"no command", {}, 2, "mediarig needs a command (see mediarig --help)"},
        {"unknown command", {"frobnicate"}, 2, "frobnicate"},
        {"unknown option", {"devices", "--frobnicate"}, 2, "--frobnicate"},
        {"a comparison on a directory",
         {"compare", "@", "--self-test", "--confirm", "@"},
         2,
         "@ is a directory, and formats are made on a device"},
        {"a comparison on a write-protected file, without a confirmation",
         {"compare", "/proc/version", "--self-test"},
         4,
         "/proc/version cannot be written by this user"},
        {"a comparison on a missing target",
         {"compare", "@/none", "--self-test", "--confirm", "x"},
         2,
         "no such device, image or directory"},
        {"missing argument", {"run"}, 2, "plan is required"},
        {"unknown suite", {"bench", "/tmp", "--suite", "quickbunch"}, 2, "quickbunch"},
        {"unknown engine", {"bench", "/tmp", "--suite", "verify", "--engine", "aio"}, 2, "aio"},
        {"unknown file system", {"format", "@/x.img", "--fs", "exfta", "--confirm", "x"}, 2, "exfta"},
        {"format without confirmation", {"format", "@/x.img", "--fs", "exfat"}, 2, "this erases "},
        {"format without a file system",
         {"format", "@/x.img", "--confirm", "x"},
         2,
         "the format is missing: add --fs and a file system"},
        {"unknown profile", {"format", "@/x.img", "--profile", "nikon", "--confirm", "x"}, 2, "use one of sd, windows"},
        {"unknown table", {"format", "@/x.img", "--fs", "exfat", "--table", "apm", "--confirm", "x"}, 2, "apm"},
        {"profile with a cluster size",
         {"format", "@/x.img", "--profile", "sd", "--cluster-size", "4KiB", "--confirm", "x"},
         2,
         "--cluster-size conflicts with --profile sd, which sets the same value: leave one of them out"},
        {"profile with a table",
         {"format", "@/x.img", "--profile", "sd", "--table", "gpt", "--confirm", "x"},
         2,
         "--table conflicts with --profile sd"},
        {"a cluster size of 0",
         {"format", "@/x.img", "--profile", "sd", "--cluster-size", "0", "--confirm", "x"},
         2,
         "--cluster-size: \"0\" is not a size; it must be larger than 0"},
        {"a partition start without a table",
         {"format", "@/x.img", "--fs", "exfat", "--partition-start", "4MiB", "--confirm", "x"},
         2,
         "--partition-start needs a partition: add --table mbr or --table gpt"},
        {"a word that is not UTF-8", {"inspect", "@/caf\xe9.img"}, 2, "is not valid UTF-8, which records require"},
        {"an empty confirmation",
         {"format", "@/x.img", "--fs", "exfat", "--confirm", ""},
         2,
         "--confirm needs a value"},
        {"an empty confirmation of verify", {"verify", "@/x.img", "--confirm", ""}, 2, "--confirm needs a value"},
        {"an empty confirmation of a comparison",
         {"compare", "@/x.img", "--confirm", ""},
         2,
         "--confirm needs a value"},
        {"an empty name of a store", {"results", "--store", ""}, 2, "--store needs a value"},
        {"an empty name of a store to run", {"run", "@/p.json", "--store", ""}, 2, "--store needs a value"},
        {"an option of another program", {"results", "--format", "xml"}, 2, "results has no option --format"},
    };
    for (const Row& row : rows) check(row, folder);
}

TEST_CASE("run refuses files that are not plans") {
    const Folder folder;
    write_file(folder / "half.json", R"({"mediarig_plan": 1, "media": [)");
    write_file(folder / "empty.json", "");
    write_file(folder / "list.json", "[]");
    write_file(folder / "version.json", R"({"mediarig_plan": 9, "name": "t", "media": []})");
    write_file(folder / "typo.json",
               plan(R"({"image": "/x.img", "confirm": "/x.img"})", R"("formats": ["exfta"], "suites": ["verify"])"));
    write_file(folder / "extra.json", plan(R"({"image": "/x.img", "confirm": "/x.img", "colour": "red"})"));
    write_file(folder / "relative.json", plan(R"({"path": "sdb", "confirm": "S"})"));
    write_file(folder / "unconfirmed.json", plan(R"({"path": "/dev/null"})"));
    write_file(folder / "slot.json", plan(R"({"slot": 3, "confirm": "S"})"));
    const Row rows[] = {
        {"no such file", {"run", "@/none.json"}, 2, "none.json cannot be read: No such file"},
        {"a directory", {"run", "@"}, 2, "is a directory"},
        {"an incomplete file", {"run", "@/half.json"}, 2, "half.json: "},
        {"empty", {"run", "@/empty.json"}, 2, "empty.json: "},
        {"a plan that is not an object", {"run", "@/list.json"}, 2, "list.json: "},
        {"a newer version", {"run", "@/version.json"}, 2, "/mediarig_plan"},
        {"a mistyped format", {"run", "@/typo.json"}, 2, "/formats/0"},
        {"an unknown member", {"run", "@/extra.json"}, 2, "/media/0/colour"},
        {"a relative device", {"run", "@/relative.json"}, 2, "/media/0/path"},
        {"a missing confirmation", {"run", "@/unconfirmed.json"}, 2, "/media/0"},
        {"a slot without a rig", {"run", "@/slot.json"}, 2, "slot 3"},
        {"nothing to resume", {"run", "@/resume.json", "--resume", "--store", "@/r.db"}, 2, "no unfinished campaign"},
    };
    write_file(folder / "resume.json", plan(placed(R"({"image": "@/x.img", "confirm": "@/x.img"})", folder)));
    for (const Row& row : rows) check(row, folder);
}

TEST_CASE("every command refuses targets that are not media") {
    const Folder folder;
    make_image(folder / "good.img", 64 << 20);
    const Row rows[] = {
        {"inspect a missing file", {"inspect", "@/none.img"}, 2, "none.img"},
        {"inspect a directory", {"inspect", "@"}, 2, "directory"},
        {"bench a missing target", {"bench", "@/none", "--suite", "quickbench"}, 2, "no such device"},
        {"bench a character device", {"bench", "/dev/null", "--suite", "quickbench"}, 2, "/dev/null"},
        {"raw on a directory", {"bench", "@", "--suite", "quickbench", "--raw", "--confirm", "x"}, 2, "is a directory"},
        {"raw without confirmation", {"bench", "@/good.img", "--suite", "quickbench", "--raw"}, 2, "--confirm"},
        {"verify without confirmation", {"verify", "@/good.img"}, 2, "--confirm"},
        {"format a directory", {"format", "@", "--fs", "exfat", "--confirm", "@"}, 2, "directory"},
    };
    for (const Row& row : rows) check(row, folder);
}

TEST_CASE("an invalid input has the same exit status with every command") {
    if (::access("/dev/shm", W_OK) != 0) MEDIARIG_SKIP("no folder below /dev to make a link in");
    const Folder folder;
    make_image(folder / "card.img", 64 << 20);
    const std::filesystem::path link = std::filesystem::path("/dev/shm") / folder.path().filename().concat(".link");
    std::filesystem::create_symlink(folder / "card.img", link);
    const std::string name = link.string();
    const Row rows[] = {
        {"a link below /dev, to inspect", {"inspect", name}, 2, "is not a device, it leads to @/card.img"},
        {"to format",
         {"format", name, "--fs", "exfat", "--confirm", name},
         2,
         "is not a device, it leads to @/card.img"},
        {"to measure", {"bench", name, "--suite", "quickbench"}, 2, "is not a device, it leads to @/card.img"},
        {"to verify", {"verify", name, "--confirm", name}, 2, "is not a device, it leads to @/card.img"},
    };
    for (const Row& row : rows) check(row, folder);
    std::filesystem::remove(link);
}

TEST_CASE("a relative file name in a folder with a non-UTF-8 name gives a one-line error") {
    const Folder folder;
    const std::filesystem::path latin = folder / "caf\xe9";
    std::filesystem::create_directory(latin);
    make_image(latin / "card.img", 64 << 20);
    const ProgramOutput output = tool({"sh", "-c", "cd \"$1\" && exec \"$2\" verify card.img --confirm card.img", "sh",
                                       latin.string(), mediarig_program()});
    CHECK(output.status == 2);
    CHECK_THAT(output.err, ContainsSubstring("is not valid UTF-8, which records require"));
    CHECK(std::count(output.err.begin(), output.err.end(), '\n') == 1);
}

TEST_CASE("inspect refuses contradictory options and files that are not profiles") {
    const Folder folder;
    make_image(folder / "card.img", 64 << 20);
    write_file(folder / "half.json", R"({"mediarig_profile": 1, "name": )");
    write_file(folder / "typo.json", R"({"mediarig_profile": 1, "name": "x", "scheme": "mrb"})");
    const Row rows[] = {
        {"an unknown standard", {"inspect", "@/card.img", "--expect", "amiga"}, 2, "use one of sound, sd, windows"},
        {"a standard that is empty", {"inspect", "@/card.img", "--expect", ""}, 2, "--expect needs a value"},
        {"a parameter that is empty", {"inspect", "@/card.img", "--hex", ""}, 2, "--hex needs a value"},
        {"a profile without a name",
         {"inspect", "@/card.img", "--save-profile", ""},
         2,
         "--save-profile needs a value"},
        {"bytes as JSON",
         {"inspect", "@/card.img", "--hex", "x", "--json"},
         2,
         "--hex shows only bytes: leave --json out"},
        {"bytes and a standard",
         {"inspect", "@/card.img", "--hex", "x", "--expect", "sd"},
         2,
         "--hex shows only bytes: leave --expect out"},
        {"bytes of a missing structure",
         {"inspect", "@/card.img", "--hex", "x"},
         2,
         "this medium has no known structure"},
        {"no such profile",
         {"inspect", "@/card.img", "--expect", "@/none.json"},
         2,
         "none.json cannot be read: No such"},
        {"an endless profile", {"inspect", "@/card.img", "--expect", "/dev/zero"}, 2, "holds more than 67.1 MB"},
        {"an incomplete profile",
         {"inspect", "@/card.img", "--expect", "@/half.json"},
         2,
         "@/half.json: /name: line 1, column"},
        {"a mistyped profile",
         {"inspect", "@/card.img", "--expect", "@/typo.json"},
         2,
         "@/typo.json: /scheme: unknown"},
        {"a profile of an empty medium",
         {"inspect", "@/card.img", "--save-profile", "@/p.json"},
         1,
         "p.json is not written"},
    };
    for (const Row& row : rows) check(row, folder);
    CHECK_FALSE(std::filesystem::exists(folder / "p.json"));
}

TEST_CASE("a profile is never written over the medium, a plan or another file") {
    const Folder folder;
    make_image(folder / "card.img", 64 << 20);
    REQUIRE(tool({"mkfs.exfat", (folder / "card.img").string()}).status == 0);
    const std::string medium = read_file(folder / "card.img");
    write_file(folder / "plan.json", plan(R"({"image": "/x.img"})"));
    const std::string kept = read_file(folder / "plan.json");
    REQUIRE(call_mediarig({"inspect", folder / "card.img", "--save-profile", folder / "sound.json"}, folder.path())
                .status == 0);
    const Row rows[] = {
        {"over the medium",
         {"inspect", "@/card.img", "--save-profile", "@/card.img"},
         2,
         "@/card.img exists and is not a profile: it was not changed; choose another name"},
        {"over a plan",
         {"inspect", "@/card.img", "--save-profile", "@/plan.json"},
         2,
         "@/plan.json exists and is not a profile"},
        {"over a profile",
         {"inspect", "@/card.img", "--save-profile", "@/sound.json"},
         2,
         "@/sound.json exists already: name another file, or replace it with --force"},
        {"into a missing folder",
         {"inspect", "@/card.img", "--save-profile", "@/none/p.json"},
         2,
         "choose another place"},
        {"over a folder", {"inspect", "@/card.img", "--save-profile", "@"}, 2, "@ is a directory; name a file"},
    };
    for (const Row& row : rows) check(row, folder);
    CHECK(read_file(folder / "card.img") == medium);
    CHECK(read_file(folder / "plan.json") == kept);

    const std::string profile = folder / "p.json";
    for (const char* const time : {"new", "over the old one"}) {
        CAPTURE(time);
        CHECK(call_mediarig({"inspect", folder / "card.img", "--save-profile", profile, "--force"}, folder.path())
                  .status == 0);
        CHECK(call_mediarig({"inspect", folder / "card.img", "--expect", profile}, folder.path()).status == 0);
    }
}

TEST_CASE("a volume that is dirty or has read errors ends inspect with 1, and gives no profile") {
    const Folder folder;
    make_image(folder / "card.img", 64 << 20);
    REQUIRE(tool({"mkfs.exfat", (folder / "card.img").string()}).status == 0);
    const std::string sound = read_file(folder / "card.img");
    CHECK(call_mediarig({"inspect", folder / "card.img"}, folder.path()).status == 0);
    for (const auto& [flags, name] : {std::pair{'\2', "volume_dirty"}, {'\4', "media_failure"}}) {
        CAPTURE(name);
        std::string marked = sound;
        marked[106] = flags; // VolumeFlags
        write_file(folder / "card.img", marked);
        const ProgramOutput plain = call_mediarig({"inspect", folder / "card.img", "--quiet"}, folder.path());
        CHECK(plain.status == 1);
        CHECK_THAT(plain.out, ContainsSubstring(std::string("volume 1: ") + name + " is yes"));
        const ProgramOutput saved =
            call_mediarig({"inspect", folder / "card.img", "--save-profile", folder / "new.json"}, folder.path());
        CHECK(saved.status == 1);
        CHECK_THAT(saved.err, ContainsSubstring("make the profile from a sound medium"));
        CHECK_FALSE(std::filesystem::exists(folder / "new.json"));
    }
}

TEST_CASE("no option replaces a plan, whether it was edited or not, not even --force") {
    const Folder folder;
    make_image(folder / "card.img", 64 << 20);
    // The plan begins with the same characters as every JSON result.
    const std::string edited = "{\n  " + plan(R"({"image": "/x.img"})").substr(1);
    write_file(folder / "plan.json", edited);
    const Row rows[] = {
        {"a plan at the path of a plan",
         {"compare", "@/card.img", "--formats", "exfat,fat32", "--confirm", "@/card.img", "--dry-run", "--plan",
          "@/plan.json", "--force"},
         2,
         "@/plan.json exists already, and a plan is never replaced: name another file, or remove it"},
        {"a result at the path of a plan",
         {"lab", "cards", "--json=@/plan.json", "--force"},
         2,
         "@/plan.json exists and is a plan, a profile or a configuration, which may have been edited"},
    };
    for (const Row& row : rows) check(row, folder);
    CHECK(read_file(folder / "plan.json") == edited);
}

TEST_CASE(
    "the command report, started in a folder that was removed, prints the path of the report or a one-line error") {
    const Folder folder;
    (void)call_mediarig({"bench", folder.path().string(), "--suite", "verify", "--quick", "--quiet", "--store",
                         (folder / "good.db").string()},
                        folder.path());
    const ProgramOutput output =
        tool({"sh", "-c",
              "mkdir \"$2/gone\" && cd \"$2/gone\" && rmdir \"$2/gone\" && \"$0\" report --store \"$1\" "
              "-o \"$2/r.html\" && \"$0\" names give ./card.img one",
              mediarig_program(), (folder / "good.db").string(), folder.path().string()});
    CAPTURE(output.out, output.err);
    CHECK_THAT(output.out, ContainsSubstring("report: " + (folder / "r.html").string()));
    CHECK((output.status == 2 || output.status == 3));
    CHECK_THAT(output.err, !ContainsSubstring("this program failed"));
}

TEST_CASE("the controller refuses an unknown user of sudo with the same reason as the agent") {
    if (!is_root()) MEDIARIG_SKIP("needs root: other users cannot set the caller");
    const Folder folder;
    make_image(folder / "card.img", 64 << 20);
    for (const auto& words : {std::vector<std::string>{"devices"}, {"inspect", (folder / "card.img").string()}}) {
        const ProgramOutput output = call_mediarig(words, folder.path(), {"SUDO_UID=61099"});
        CAPTURE(output.err);
        CHECK(output.status == 4);
        CHECK_THAT(output.err, ContainsSubstring("SUDO_UID=61099 is not in the user database") &&
                                   ContainsSubstring("start it as a user of this machine"));
    }
}

TEST_CASE("inspect of an unreadable target names the required user") {
    if (!is_root()) MEDIARIG_SKIP("needs root to become another user");
    const Folder folder;
    const std::filesystem::path image = folder / "card.img";
    make_image(image, 64 << 20);
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
    std::filesystem::permissions(image, std::filesystem::perms(0600));
    // A folder from which every user may start the programs, because this source tree may be in a folder of root.
    const std::filesystem::path programs = std::filesystem::path(mediarig_program()).parent_path();
    for (const char* program : {"mediarig", "mediarig-agent"})
        std::filesystem::copy_file(programs / program, folder / program);
    const ProgramOutput output = tool({"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                                       (folder / "mediarig").string(), "inspect", image.string(), "--agent", "local"});
    if (output.status == 126 || output.status == 127) MEDIARIG_SKIP("no setpriv");
    CHECK(output.status == 3);
    CHECK(output.err == "mediarig: " + image.string() +
                            " may not be opened: Permission denied; run 'sudo -v' first, or start mediarig as root\n");
}

TEST_CASE("format refuses media that cannot be formatted") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices");
    const Folder folder;
    make_image(folder / "small.img", 4096);
    make_image(folder / "good.img", 64 << 20);
    const std::string before = read_file(folder / "good.img");
    const Row rows[] = {
        {"a cluster size that exFAT does not have",
         {"format", "@/good.img", "--fs", "exfat", "--cluster-size", "3000", "--confirm", "@/good.img"},
         2,
         "cluster"},
        {"another confirmation",
         {"format", "@/good.img", "--fs", "exfat", "--confirm", "WRONG"},
         4,
         "@/good.img may not be erased: the confirmation does not match"},
        {"too small", {"format", "@/small.img", "--fs", "exfat", "--confirm", "@/small.img"}, 2, "less than 1 MiB"},
        {"too small for APFS",
         {"format", "@/good.img", "--fs", "apfs", "--confirm", "@/good.img"},
         2,
         "too small for APFS"},
        {"a label that is too long for FAT",
         {"format", "@/good.img", "--fs", "fat32", "--label", "ABCDEFGHIJKLMNOP", "--confirm", "@/good.img"},
         2,
         "label"},
        {"a label that is too long",
         {"format", "@/good.img", "--fs", "exfat", "--label", "ABCDEFGHIJKLMNOP", "--confirm", "@/good.img"},
         2,
         "label"},
    };
    for (const Row& row : rows) check(row, folder);
    CHECK(read_file(folder / "good.img") == before);
}

TEST_CASE("every command refuses files that are not stores") {
    const Folder folder;
    write_file(folder / "text.db", std::string(4096, 'x'));
    run_sql(folder / "foreign.db", "create table t(a); pragma application_id=12345;");
    make_image(folder / "x.img", 64 << 20);
    write_file(folder / "plan.json", plan(placed(R"({"image": "@/x.img", "confirm": "@/x.img"})", folder)));
    // A valid store of this version that is changed to look like a store of a later version.
    (void)call_mediarig({"bench", folder.path().string(), "--suite", "verify", "--quick", "--quiet", "--store",
                         (folder / "newer.db").string()},
                        folder.path());
    run_sql(folder / "newer.db", "pragma user_version=999;");
    const Row rows[] = {
        {"a missing store", {"results", "--store", "@/none.db"}, 2, "none.db does not exist"},
        {"a text file", {"results", "--store", "@/text.db"}, 2, "text.db"},
        {"another program's database, to run", {"run", "@/plan.json", "--store", "@/foreign.db"}, 2, "foreign.db"},
        {"another program's database, to import",
         {"campaigns", "import", "@/foreign.db", "--store", "@/own.db"},
         2,
         "foreign.db"},
        {"another program's database, to watch", {"watch", "--store", "@/foreign.db"}, 2, "foreign.db"},
        {"another program's database", {"results", "--store", "@/foreign.db"}, 2, "foreign.db"},
        {"a newer version", {"results", "--store", "@/newer.db"}, 2, "another version of mediarig"},
        {"a newer version, to run", {"run", "@/plan.json", "--store", "@/newer.db"}, 2, "another version of mediarig"},
        {"a directory", {"run", "@/plan.json", "--store", "@"}, 2, "directory"},
        {"a directory, to read", {"results", "--store", "@"}, 2, "directory"},
        {"below a file", {"run", "@/plan.json", "--store", "@/x.img/y.db"}, 2, "/x.img"},
        {"below a file, to read", {"results", "--store", "@/x.img/y.db"}, 2, "/x.img"},
        {"a folder that cannot be made", {"run", "@/plan.json", "--store", "/proc/x/y.db"}, 2, "/proc/x"},
        {"no such campaign", {"results", "--campaign", "0000", "--store", "@/good.db"}, 2, "0000"},
        {"no such device", {"results", "--device", "nobody", "--store", "@/good.db"}, 2, "nobody"},
        {"a report that cannot be written",
         {"report", "-o", "/proc/x.html", "--store", "@/good.db"},
         2,
         "/proc/x.html"},
    };
    (void)call_mediarig({"bench", folder.path().string(), "--suite", "verify", "--quick", "--quiet", "--store",
                         (folder / "good.db").string()},
                        folder.path());
    for (const Row& row : rows) check(row, folder);
}

TEST_CASE("a file suite on a blank image is refused with status 2 and leaves no campaign") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices");
    const Folder folder;
    make_image(folder / "blank.img", 64 << 20);
    const Row rows[] = {
        {"a suite of files",
         {"bench", "@/blank.img", "--suite", "quickbench", "--quick", "--quiet", "--store", "@/s.db"},
         2,
         "@/blank.img holds no file system that mediarig can mount (nothing known): make one with mediarig format, or "
         "measure the bare device (--raw)"},
        {"no campaign", {"results", "--store", "@/s.db"}, 2, "the store contains no campaign"},
    };
    for (const Row& row : rows) check(row, folder);
}

TEST_CASE("an image file in use by another process is not touched") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices");
    const Folder folder;
    const std::string image = (folder / "card.img").string();
    make_image(image, 64 << 20);
    const ProgramOutput attached = tool({"losetup", "--find", "--show", image});
    if (attached.status != 0) MEDIARIG_SKIP("no loop device is free: " + attached.err);
    const std::string loop = attached.out.substr(0, attached.out.find('\n'));
    const ProgramOutput output = call_mediarig({"format", image, "--fs", "exfat", "--confirm", image}, folder.path());
    (void)tool({"losetup", "--detach", loop});
    CAPTURE(output.out, output.err);
    CHECK((output.status == 3 || output.status == 4));
    CHECK(std::count(output.err.begin(), output.err.end(), '\n') == 1);
    CHECK_THAT(output.err, ContainsSubstring(image));
    CHECK(read_file(image).find_first_not_of('\0') == std::string::npos);
}
