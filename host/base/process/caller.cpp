// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/process/caller.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

namespace mediarig::process {
namespace {

std::vector<gid_t> ascending(std::vector<gid_t> groups) {
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    return groups;
}

Result<Caller> own_identity() {
    std::vector<gid_t> groups(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
    const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
    if (count < 0) return fail(Errc::io_failed, "cannot list the groups of this process");
    groups.resize(static_cast<std::size_t>(count));
    return Caller{.user = ::getuid(), .group = ::getgid(), .groups = ascending(std::move(groups))};
}

std::vector<gid_t> groups_of(const char* name, gid_t group) {
    int count = 64;
    std::vector<gid_t> groups(static_cast<std::size_t>(count));
    while (::getgrouplist(name, group, groups.data(), &count) < 0) {
        // Some libraries do not return the number of groups.
        count = std::max(count, static_cast<int>(groups.size()) * 2);
        groups.resize(static_cast<std::size_t>(count));
    }
    groups.resize(static_cast<std::size_t>(count));
    return ascending(std::move(groups));
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
File open_to_read(const char* path) {
    return {std::fopen(path, "re"), [](std::FILE* file) { return file != nullptr ? std::fclose(file) : 0; }};
}
constexpr std::size_t longest_line = std::size_t{1} << 20;

/// Finds the user only in these files: a static program cannot load the C library's name-service modules, which would
/// use a second copy of the library and crash.
std::optional<Caller> find_in_files(uid_t user) {
    const File users = open_to_read("/etc/passwd");
    std::vector<char> buffer(longest_line);
    passwd entry{};
    passwd* found{};
    while (users && ::fgetpwent_r(users.get(), &entry, buffer.data(), buffer.size(), &found) == 0 &&
           entry.pw_uid != user) {
    }
    if (found == nullptr || entry.pw_uid != user) return std::nullopt;
    Caller caller{.user = user, .group = entry.pw_gid, .groups = {entry.pw_gid}, .name = entry.pw_name};
    const File groups = open_to_read("/etc/group");
    group each{};
    group* next{};
    while (groups && ::fgetgrent_r(groups.get(), &each, buffer.data(), buffer.size(), &next) == 0)
        for (char** member = each.gr_mem; *member != nullptr; ++member)
            if (caller.name == *member) caller.groups.push_back(each.gr_gid);
    caller.groups = ascending(std::move(caller.groups));
    return caller;
}

std::optional<Caller> find_by_library(uid_t user) {
    std::vector<char> buffer(16384);
    passwd entry{};
    passwd* found{};
    while (::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) == ERANGE) buffer.resize(buffer.size() * 2);
    if (found == nullptr) return std::nullopt;
    return Caller{
        .user = user, .group = entry.pw_gid, .groups = groups_of(entry.pw_name, entry.pw_gid), .name = entry.pw_name};
}

Result<Caller> from_user_database(const char* variable, std::string_view text) {
    const auto nobody = [&](const char* why) {
        return fail(
            Errc::refused,
            fmt::format("{}={} {}: mediarig does not work for an unknown user; start it as a user of this machine",
                        variable, text, why));
    };
    uid_t user{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), user);
    // The kernel treats the highest number as "no change".
    if (error != std::errc{} || end != text.data() + text.size() || user == static_cast<uid_t>(-1))
        return nobody("is not a user number");
    // A process without a program interpreter (AT_BASE is 0) is static.
    auto caller = ::getauxval(AT_BASE) == 0 ? find_in_files(user) : find_by_library(user);
    if (!caller) return nobody("is not in the user database");
    return std::move(*caller);
}

} // namespace

Result<Caller> find_caller() {
    // The variables are trusted only if the real user is root: any other user can set them to any value.
    if (::getuid() != 0) return own_identity();
    const char* const by_sudo = std::getenv("SUDO_UID");
    const char* const by_polkit = std::getenv("PKEXEC_UID");
    // pkexec clears the environment, and sudo keeps few variables. Even if a sudo rule keeps more variables, the caller
    // must not be able to choose the user.
    if (by_sudo != nullptr && by_polkit != nullptr && std::strcmp(by_sudo, by_polkit) != 0)
        return fail(Errc::refused, "SUDO_UID and PKEXEC_UID name different users: start mediarig through one of them");
    if (by_sudo != nullptr) return from_user_database("SUDO_UID", by_sudo);
    if (by_polkit != nullptr) return from_user_database("PKEXEC_UID", by_polkit);
    return own_identity();
}

} // namespace mediarig::process
