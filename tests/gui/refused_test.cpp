// SPDX-License-Identifier: GPL-3.0-or-later
/// If an error prevents a campaign, the window shows the error, and the user can start again. The errors are a missing
/// agent, permission or program, and a closed password dialog.
#include <sys/stat.h>
#include <unistd.h>

#include <QLabel>
#include <QPushButton>
#include <filesystem>

#include "host/gui/run_page.hpp"
#include "tests/gui/window.hpp"

using namespace mediarig;
using namespace mediarig::gui;

namespace {

/// A page that starts a plan; the test provides the programs in PATH.
struct Refused {
    QApplication& app = application();
    Folder folder;
    RunPage page{folder / "r.db", {}};
    QByteArray path = qgetenv("PATH");

    Refused() {
        e2e::make_image(folder / "card.img", 32 << 20);
        const std::string image = (folder / "card.img").string();
        e2e::write_file(folder / "plan.json", R"({"mediarig_plan":1,"name":"p","media":[{"image":")" + image +
                                                  R"(","confirm":")" + image +
                                                  R"("}],"suites":[{"suite":"capacity","where":"raw"}]})");
        page.show();
    }
    ~Refused() { qputenv("PATH", path); }
    Refused(const Refused&) = delete;
    Refused& operator=(const Refused&) = delete;

    void in_path(const char* name, const std::string& script) {
        std::filesystem::create_directories(folder / "bin");
        e2e::write_file(folder / "bin" / name, "#!/bin/sh\n" + script + '\n');
        REQUIRE(::chmod((folder / "bin" / name).c_str(), 0755) == 0);
        qputenv("PATH", QByteArray::fromStdString((folder / "bin").string()) + ':' + path);
    }
    /// Message of the page after the campaign failed to begin.
    std::string told(const QStringList& words) {
        page.begin(folder / "plan.json", words);
        auto* const label = page.findChild<QLabel*>("message");
        REQUIRE(label != nullptr);
        // On a busy machine the window finds and shows the campaign before the campaign fails.
        REQUIRE(until([&] { return !label->text().isEmpty() && !label->text().startsWith("Starting"); }));
        CHECK(label->isVisible());
        CHECK(!page.findChild<QPushButton*>("stop")->isEnabled());
        return label->text().toStdString();
    }
};

std::string program_of_this_test() {
    return std::filesystem::read_symlink("/proc/self/exe").string();
}

} // namespace

TEST_CASE("window: a user without permission for media sees the reason and can try again", "[.unprivileged]") {
    REQUIRE(::geteuid() != 0);
    Refused refused;
    refused.in_path("pkexec", "echo 'Error executing command as another user: Request dismissed' >&2; exit 126");
    CHECK(agent_words() == QStringList{"--agent", "pkexec"});
    CHECK(refused.told(agent_words()) ==
          "mediarig: the password dialog was closed: no job was started; repeat the request to open it again");
    refused.in_path("pkexec", "echo 'Error executing command as another user: Not authorized' >&2; exit 127");
    CHECK(refused.told(agent_words()).starts_with("mediarig: polkit does not let this user start the agent as root"));
    // Without pkexec and sudo the agent has only the user's rights and reports the missing permission.
    refused.in_path("sudo", "exit 1");
    const std::string own = refused.told({"--agent", "local"});
    CAPTURE(own);
    CHECK(own.find("root") != std::string::npos);
}

TEST_CASE("window: missing permission and a closed password dialog are reported") {
    if (!e2e::is_root()) MEDIARIG_SKIP("needs root to become somebody else");
    const e2e::ProgramOutput said =
        e2e::tool({"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "-u", "XDG_RUNTIME_DIR",
                   "HOME=/nonexistent", "QT_QPA_PLATFORM=offscreen", program_of_this_test(), "[.unprivileged]"});
    CAPTURE(said.out, said.err);
    CHECK(said.status == 0);
}

TEST_CASE("window: a missing or dead agent is reported") {
    if (!e2e::is_root()) MEDIARIG_SKIP("needs root to claim images");
    // The installed programs except the agent.
    const Folder folder;
    const std::filesystem::path built = std::filesystem::path(program_of_this_test()).parent_path();
    for (const char* name : {"mediarig", "test_gui"})
        std::filesystem::copy_file(built / name, folder / name, std::filesystem::copy_options::overwrite_existing);
    const auto run = [&] {
        return e2e::tool({"env", "QT_QPA_PLATFORM=offscreen", (folder / "test_gui").string(), "[.agentless]"});
    };
    const e2e::ProgramOutput none = run();
    CAPTURE(none.out);
    CHECK(none.status == 0);
}

TEST_CASE("window: a campaign without an agent does not begin and names the missing part", "[.agentless]") {
    Refused refused;
    qputenv("PATH", "/nonexistent");
    const std::string missing = refused.told({});
    CAPTURE(missing);
    CHECK(missing.find("mediarig-agent is neither at ") != std::string::npos);
    qputenv("PATH", refused.path);
    refused.in_path("mediarig-agent", "echo 'no room for an agent' >&2; exit 5");
    CHECK(refused.told({}).find("the agent ended with exit status 5: no room for an agent") != std::string::npos);
}
