// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/agent/sudo.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "host/base/descriptor.hpp"

namespace mediarig::app {

std::string closed_devices(const std::vector<std::string>& paths) {
    std::string closed;
    for (const std::string& path : paths) {
        struct stat found {};
        const bool device = ::stat(path.c_str(), &found) == 0 && S_ISBLK(found.st_mode);
        if (device && ::access(path.c_str(), R_OK | W_OK) != 0) closed += (closed.empty() ? "" : ", ") + path;
    }
    return closed;
}

bool has_interactive_terminal() {
    if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) return false;
    const Descriptor terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
    return terminal.get() >= 0 && ::tcgetpgrp(terminal.get()) == ::getpgrp();
}

Result<void> ask_for_password(const std::string& reason) {
    // sudo runs as a foreground child on the same terminal and prompts there itself.
    std::string prompt = "mediarig needs root " + reason + ".\n[sudo] password for %p: ";
    std::string words[] = {"sudo", "-v", "-p", prompt};
    char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
    pid_t child{};
    if (const int failed = ::posix_spawnp(&child, "sudo", nullptr, nullptr, arguments, environ); failed != 0)
        return fail(failed == ENOENT ? Errc::no_driver : Errc::no_permission,
                    std::string("sudo, through which the agent becomes root, cannot be started: ") +
                        std::strerror(failed) + "; install it, or start mediarig as root");
    int status{};
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    return fail(Errc::no_permission,
                "sudo did not grant root " + reason + ": start mediarig as a user in sudoers, or as root");
}

} // namespace mediarig::app
