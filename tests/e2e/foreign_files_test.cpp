// SPDX-License-Identifier: GPL-3.0-or-later
/// mediarig deletes and changes nothing in folders and files of others, if a user names them by an option or a
/// variable, or if they have by chance a name that mediarig uses.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
namespace fs = std::filesystem;

namespace {

/// Files by path with their contents, and links with their targets.
std::map<std::string, std::string> contents_of(const fs::path& folder) {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_symlink())
            found[entry.path().string()] = "-> " + fs::read_symlink(entry.path()).string();
        else if (entry.is_regular_file())
            found[entry.path().string()] = read_file(entry.path());
    return found;
}

/// Fills a folder with private files, like a folder of a user, and with names that mediarig itself uses.
void fill(const fs::path& folder) {
    fs::create_directories(folder / "sub");
    for (const fs::path& each : {folder, folder / "sub"}) fs::permissions(each, fs::perms::owner_all);
    for (const char* name : {"thesis", "lock", "slot1.nbd", "slot1-a.card", "manifest.json", "sub/photo"})
        write_file(folder / name, "years of work");
}

std::string rig_simulator() {
    return (fs::path(mediarig_program()).parent_path() / "mediarig-rig-sim").string();
}

bool is_one_line(const std::string& text) {
    return std::count(text.begin(), text.end(), '\n') == 1 && text.size() < 2000;
}

} // namespace

TEST_CASE("lab start does not change private folders that variables or options name") {
    const Folder folder;
    const fs::path users = folder / "users";
    struct Row {
        std::string what;
        fs::path filled; ///< folder that exists before, with private files
        std::vector<std::string> environment, words;
    };
    const std::string store = "MEDIARIG_STORE=" + (folder / "data/r.db").string();
    const std::string runtime = "XDG_RUNTIME_DIR=" + (folder / "run").string();
    const Row rows[] = {
        {"MEDIARIG_LAB_DIR", users, {store, "MEDIARIG_LAB_DIR=" + users.string()}, {}},
        {"the lab's folder in it", users / "mediarig-lab", {store, "MEDIARIG_LAB_DIR=" + users.string()}, {}},
        {"XDG_RUNTIME_DIR", folder / "run/mediarig-resident", {store, runtime}, {}},
        {"--media", users, {store, runtime}, {"--media", users.string()}},
        {"the media's folder in it", users / "mediarig-lab-media", {store, runtime}, {"--media", users.string()}},
        {"beside the store", folder / "data/lab/r.db/mediarig-resident", {store, runtime}, {}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        for (const char* name : {"run", "data", "users"}) {
            fs::create_directories(folder / name);
            fs::permissions(folder / name, fs::perms::owner_all);
        }
        fill(row.filled);
        const auto before = contents_of(row.filled);
        std::vector<std::string> words{"lab", "start"};
        words.insert(words.end(), row.words.begin(), row.words.end());
        const ProgramOutput output = call_mediarig(words, folder.path(), row.environment);
        CAPTURE(output.err);
        // Where a guest image exists, the lab starts and makes its own folder next to the private files.
        CHECK(std::ranges::includes(contents_of(row.filled), before));
        if (output.status == 0) (void)call_mediarig({"lab", "stop"}, folder.path(), row.environment);
        CHECK(std::ranges::includes(contents_of(row.filled), before));
        for (const char* name : {"run", "data", "users"}) fs::remove_all(folder / name);
    }
}

TEST_CASE("lab build refuses a cache that contains other files") {
    const Folder folder;
    const fs::path cache = folder / "cache/mediarig/lab";
    fill(cache);
    fill(cache / ".building-mine");
    const auto before = contents_of(cache);
    // The refusal needs neither tools nor a network.
    const ProgramOutput output =
        call_mediarig({"lab", "build"}, folder.path(),
                      {"XDG_CACHE_HOME=" + (folder / "cache").string(), "MEDIARIG_DEBIAN_MIRROR=file:///none"});
    CAPTURE(output.err);
    if (output.status == 3 && output.err.find("agent") != std::string::npos)
        MEDIARIG_SKIP("the build has no mediarig-agent-static");
    CHECK(output.status == 4);
    CHECK_THAT(output.err, ContainsSubstring("which mediarig did not make"));
    CHECK(contents_of(cache) == before);
}

TEST_CASE("the simulated rig does not replace foreign files") {
    const Folder folder;
    write_file(folder / "thesis", "years of work");
    fs::create_symlink(folder / "thesis", folder / "link");
    std::string of_size(4096, 'x');
    write_file(folder / "large", of_size);
    const auto before = contents_of(folder.path());
    for (const char* const option : {"--link", "--events", "--state", "--retained"})
        for (const char* name : {"thesis", "link", "large"}) {
            CAPTURE(option, name);
            const ProgramOutput output = tool({rig_simulator(), "--until-eof", option, (folder / name).string()});
            CAPTURE(output.err);
            CHECK((output.status == 2 || output.status == 3));
            CHECK(is_one_line(output.err));
            CHECK(contents_of(folder.path()) == before);
        }
}

TEST_CASE("an output file replaces neither private JSON nor private pages, not even with --force") {
    const Folder folder, running; // the output of a run is kept in its folder
    write_file(folder / "package.json", "{\n  \"name\": \"mine\"\n}\n");
    write_file(folder / "page.html", "<!DOCTYPE html><title>mine</title>");
    write_file(folder / "notes", "x");
    fs::create_symlink(folder / "notes", folder / "r.db.sockets");
    const auto before = contents_of(folder.path());
    for (const char* name : {"package.json", "page.html", "notes"}) {
        for (const auto& words : {std::vector<std::string>{"devices"}, {"published", "list"}, {"lab", "cards"}}) {
            auto all = words;
            all.insert(all.end(), {"--json=" + (folder / name).string(), "--force"});
            const ProgramOutput refused = call_mediarig(all, running.path());
            CAPTURE(refused.err);
            CHECK(refused.status == 2);
            CHECK(is_one_line(refused.err));
        }
        CHECK(contents_of(folder.path()) == before);
    }
}

TEST_CASE("a file of a few bytes is not treated as a store") {
    const Folder folder;
    for (const std::string& text : {std::string("x"), std::string("SQLite format"), std::string(300, '\0')}) {
        write_file(folder / "notes", text);
        for (const auto& words : {std::vector<std::string>{"campaigns"}, {"results"}, {"campaigns", "import"}}) {
            auto all = words;
            const bool is_import = words.size() == 2;
            if (is_import) all.push_back((folder / "notes").string());
            all.insert(all.end(), {"--store", (is_import ? folder / "r.db" : folder / "notes").string()});
            const ProgramOutput output = call_mediarig(all, folder.path());
            CAPTURE(output.err, all);
            CHECK((output.status == 2 || output.status == 3));
            CHECK_THAT(output.err, ContainsSubstring("not a"));
            CHECK(is_one_line(output.err));
            CHECK(read_file(folder / "notes") == text);
        }
    }
}
