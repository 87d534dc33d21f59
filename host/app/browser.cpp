// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/browser.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "host/app/files/text_file.hpp"
#include "host/base/process/caller.hpp"
#include "host/base/process/run_process.hpp"
#include "host/base/temporary_folder.hpp"

extern char** environ;

namespace mediarig::app {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::array browsers{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
                              "chrome",   "microsoft-edge",   "brave-browser", "vivaldi-stable"};

/// The environment of the user is safe here: the process runs with the user's rights.
std::string search_path() {
    const char* const path = std::getenv("PATH");
    return path != nullptr && *path != '\0' ? path : process::system_search_path;
}

Result<std::string> find_browser() {
    for (const char* name : browsers)
        if (auto found = process::find_program(name, search_path())) return found;
    return fail(Errc::no_driver,
                "no browser that prints to PDF was found (chromium, google-chrome, …): install chromium, or print the "
                "page without --pdf from any browser");
}

/// Changes the file's owner first: no other user can replace the file while the folder belongs to this user.
Result<void> set_owner(const process::Caller& owner, TemporaryFolder& folder, const fs::path& file) {
    if (owner.user == ::geteuid()) return {};
    if (::lchown(file.c_str(), owner.user, owner.group) != 0)
        return fail(Errc::io_failed,
                    fmt::format("cannot give {} to {}: {}", file.string(), owner.name, std::strerror(errno)));
    return folder.set_owner(owner.user, owner.group);
}

/// During its lifetime, SIGINT and SIGTERM set a flag instead of ending the process, so that processes and files are
/// cleaned up first.
class StopFlag {
public:
    StopFlag() {
        raised = false;
        struct sigaction raise {};
        raise.sa_handler = [](int) { raised = true; };
        for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &raise, &before_[i]);
    }
    StopFlag(const StopFlag&) = delete;
    StopFlag& operator=(const StopFlag&) = delete;
    ~StopFlag() {
        for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
    }
    static inline std::atomic<bool> raised{};
    static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

private:
    static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
    std::array<struct sigaction, signals.size()> before_{};
};

/// Command that starts `program`, a path, with the rights of the calling user.
process::Command started_as(const process::Caller& caller, const std::string& program) {
    process::Command command{.program = program, .arguments = {}};
    if (::geteuid() == 0 && !caller.is_root()) {
        command.program = "setpriv";
        command.arguments = {fmt::format("--reuid={}", caller.user), fmt::format("--regid={}", caller.group),
                             "--init-groups", "--inh-caps=-all", program};
    }
    command.search_path = search_path();
    return command;
}

} // namespace

Result<std::string> print_to_pdf(std::string_view html) {
    const auto browser = find_browser();
    if (!browser) return fail(browser.error());
    const auto caller = process::find_caller();
    if (!caller) return fail(caller.error());
    const StopFlag stop;
    auto folder = TemporaryFolder::make("mediarig-print-");
    if (!folder)
        return fail(Errc::io_failed,
                    fmt::format("nothing can be printed: {}; set TMPDIR to a writable folder", folder.error().detail));
    const fs::path& place = folder->path();
    const fs::path page = place / "page.html", pdf = place / "page.pdf";
    if (auto written = write_text(page, html, Existing::kept); !written) return fail(written.error());
    if (auto given = set_owner(*caller, *folder, page); !given) return fail(given.error());

    process::Command command = started_as(*caller, *browser);
    if (caller->is_root()) command.arguments.emplace_back("--no-sandbox");
    for (const char* argument :
         {"--headless", "--disable-gpu", "--no-first-run", "--no-default-browser-check", "--disable-extensions",
          "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
          // The page makes no network requests, and the browser may not make any.
          "--host-resolver-rules=MAP * ~NOTFOUND", "--no-pdf-header-footer"})
        command.arguments.emplace_back(argument);
    command.arguments.push_back("--user-data-dir=" + (place / "profile").string());
    command.arguments.push_back("--print-to-pdf=" + pdf.string());
    command.arguments.push_back("file://" + page.string());
    command.environment = {"PATH=" + search_path(), "LC_ALL=C.UTF-8", "HOME=" + place.string(),
                           "TMPDIR=" + place.string()};
    command.time_limit = 5min;
    command.cancel = &StopFlag::raised;
    const auto finished = process::run_process(command);
    if (!finished) return fail(finished.error());
    if (auto bytes = read_text(pdf); bytes && bytes->starts_with("%PDF-")) return bytes;
    const std::string said = process::first_words(*finished);
    return fail(Errc::io_failed, fmt::format("{} made no PDF ({}{}{}); print the page without --pdf from any browser",
                                             *browser, process::ending_of(*finished), said.empty() ? "" : ": ", said));
}

Result<void> open_file(const fs::path& file) {
    const auto opener = process::find_program("xdg-open", search_path());
    if (!opener) return fail(Errc::no_driver, "xdg-open is not installed");
    const auto caller = process::find_caller();
    if (!caller) return fail(caller.error());
    process::Command command = started_as(*caller, *opener);
    std::error_code unknown; // a working folder that was removed
    const fs::path absolute = fs::absolute(file, unknown);
    command.arguments.push_back(unknown ? file.string() : absolute.string());
    for (char** variable = environ; *variable != nullptr; ++variable) command.environment.emplace_back(*variable);
    const auto finished = process::run_process(command);
    if (!finished) return fail(finished.error());
    if (finished->succeeded()) return {};
    return fail(Errc::io_failed, fmt::format("xdg-open opened nothing, {}", process::ending_of(*finished)));
}

} // namespace mediarig::app
