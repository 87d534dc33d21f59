// SPDX-License-Identifier: GPL-3.0-or-later
/// Every command ends with a one-line error if a FUSE server or driver is stopped (SIGSTOP).
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"
#include "tests/e2e/resource_leaks.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

std::string first_word(const std::string& text) {
    return text.substr(0, text.find_first_of(" \n"));
}

/// A FUSE file system that shows the folder "source", and a loop device over a file in it.
class StoppedServer {
public:
    explicit StoppedServer(const Folder& folder) : point_((folder / "served").string()) {
        std::filesystem::create_directory(point_);
        std::filesystem::create_directory(folder / "source");
        make_image(folder / "source" / "card.img", 64 << 20);
        const std::string pid = (folder / "pid").string();
        if (tool({"sh", "-c",
                  "bindfs -f -o attr_timeout=0,entry_timeout=0 \"$0\" \"$1\" >/dev/null 2>&1 & echo $! >\"$2\"",
                  (folder / "source").string(), point_, pid})
                .status != 0)
            return;
        server_ = std::stoi(read_file(pid));
        for (int i = 0; i < 500 && !std::filesystem::exists(image()); ++i) std::this_thread::sleep_for(10ms);
        if (std::filesystem::exists(image())) loop_ = first_word(tool({"losetup", "-f", "--show", image()}).out);
        if (!loop_.empty()) ::kill(server_, SIGSTOP);
    }
    StoppedServer(const StoppedServer&) = delete;
    StoppedServer& operator=(const StoppedServer&) = delete;
    ~StoppedServer() {
        if (server_ > 0) ::kill(server_, SIGCONT);
        if (!loop_.empty()) (void)tool({"losetup", "-d", loop_});
        ::umount2(point_.c_str(), MNT_DETACH);
        if (server_ > 0) ::kill(server_, SIGKILL);
    }
    [[nodiscard]] bool is_stopped() const { return !loop_.empty(); }
    [[nodiscard]] const std::string& loop() const { return loop_; }
    [[nodiscard]] std::string image() const { return point_ + "/card.img"; }

private:
    std::string point_, loop_;
    pid_t server_{-1};
};

std::vector<pid_t> below(pid_t agent, const std::string& program) {
    std::vector<pid_t> found;
    for (int i = 0; i < 6000 && found.empty(); ++i) {
        found = children_of(agent, program);
        if (found.empty()) std::this_thread::sleep_for(10ms);
    }
    return found;
}

} // namespace

TEST_CASE(
    "a loop device or image whose FUSE server is stopped makes each command end with a one-line error and a next "
    "step") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices");
    if (tool({"bindfs", "--version"}).status != 0) MEDIARIG_SKIP("bindfs is not installed");
    const Folder folder, elsewhere;
    const StoppedServer server(folder);
    if (!server.is_stopped()) MEDIARIG_SKIP("FUSE is not available");
    struct Case {
        std::vector<std::string> words;
        int status;
    };
    const Case cases[] = {
        {{"inspect", server.loop()}, 3},
        {{"inspect", server.image()}, 3},
        {{"format", server.loop(), "--fs", "exfat", "--confirm", server.image()}, 4},
        {{"format", server.image(), "--fs", "exfat", "--confirm", server.image()}, 3},
        {{"format", server.image(), "--fs", "exfat"}, 3},
        {{"verify", server.loop(), "--confirm", server.image()}, 4},
        {{"verify", server.image(), "--confirm", server.image()}, 3},
    };
    for (const Case& each : cases) {
        auto words = each.words;
        if (words.front() == "verify") words.insert(words.end(), {"--store", (elsewhere / "r.db").string(), "--quiet"});
        const ProgramOutput output = call_mediarig(words, elsewhere.path());
        CAPTURE(words, output.out, output.err);
        CHECK(output.status == each.status);
        CHECK(std::ranges::count(output.err, '\n') >= 1);
        CHECK_THAT(output.err, ContainsSubstring("does not respond") && ContainsSubstring(", then try again"));
    }
}

TEST_CASE(
    "the controller ends with a one-line error if agent and guard are killed while their FUSE driver is stopped") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    const Folder folder;
    const std::string image = (folder / "one.img").string();
    make_image(image, 64 << 20);
    write_file(folder / "plan.json",
               json{{"mediarig_plan", 1},
                    {"name", "stopped"},
                    {"media", {{{"name", "one"}, {"image", image}, {"confirm", image}}}},
                    {"formats", {"exfat"}},
                    {"suites", {{{"suite", "quickbench"}, {"span", "16MiB"}, {"volume", "4GiB"}}}}}
                   .dump());
    Running running({"run", (folder / "plan.json").string(), "--store", (folder / "r.db").string()}, folder.path());
    const auto agents = below(running.pid(), "mediarig-agent");
    REQUIRE_FALSE(agents.empty());
    const auto drivers = below(agents.front(), "mount.exfat-fuse");
    if (drivers.empty()) MEDIARIG_SKIP("this machine mounts exFAT without FUSE");
    // If a file on the volume is open, the exit of the agent waits for the driver before the connection closes.
    const auto has_file_open = [&] {
        std::error_code unknown;
        for (const auto& each :
             std::filesystem::directory_iterator("/proc/" + std::to_string(agents.front()) + "/fd", unknown))
            if (std::filesystem::read_symlink(each.path(), unknown).string().starts_with("/run/mediarig-")) return true;
        return false;
    };
    for (int i = 0; i < 6000 && !has_file_open(); ++i) std::this_thread::sleep_for(10ms);
    REQUIRE(has_file_open());
    for (const pid_t each : drivers) ::kill(each, SIGSTOP);
    for (const pid_t each : children_of(agents.front(), "mediarig-agent")) ::kill(each, SIGKILL);
    ::kill(agents.front(), SIGKILL);
    const ProgramOutput output = running.wait();
    for (const pid_t each : drivers) ::kill(each, SIGKILL);
    CAPTURE(output.out, output.err);
    CHECK(output.status == 3);
    CHECK_THAT(output.err, ContainsSubstring("the agent was killed and cannot end"));
    CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});
}
