// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "host/base/process/caller.hpp"

// The C library's functions of these names change all threads of a process; the system calls change only the calling
// thread. 32-bit machines have two generations of these calls; the first generation supports only 16-bit users.
#ifdef SYS_setresuid32
#define MEDIARIG_SYS(name) SYS_##name##32
#else
#define MEDIARIG_SYS(name) SYS_##name
#endif

namespace mediarig::process {
namespace {

constexpr auto unchanged = static_cast<uid_t>(-1);

bool set_user(uid_t user) {
    return ::syscall(MEDIARIG_SYS(setresuid), unchanged, user, unchanged) == 0;
}
bool set_group(gid_t group) {
    return ::syscall(MEDIARIG_SYS(setresgid), unchanged, group, unchanged) == 0;
}
bool set_groups(const std::vector<gid_t>& groups) {
    return ::syscall(MEDIARIG_SYS(setgroups), groups.size(), groups.data()) == 0;
}

/// The identity that the kernel checks when this thread opens a file.
Caller identity_of_thread() {
    std::vector<gid_t> groups(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
    const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
    groups.resize(static_cast<std::size_t>(std::max(count, 0)));
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    // The call with an invalid user changes nothing and returns the current user.
    return {.user = static_cast<uid_t>(::syscall(MEDIARIG_SYS(setfsuid), unchanged)),
            .group = static_cast<gid_t>(::syscall(MEDIARIG_SYS(setfsgid), unchanged)),
            .groups = std::move(groups)};
}

bool same_person(const Caller& one, const Caller& other) {
    return one.user == other.user && one.group == other.group && one.groups == other.groups;
}

bool has_effective_capability() {
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
    const bool read = ::syscall(SYS_capget, &header, sets.data()) == 0;
    return !read || sets[0].effective != 0 || sets[1].effective != 0;
}

/// Restores the user first, because this restores the capabilities that are needed to set the groups.
bool become_again(const Caller& before) {
    return set_user(before.user) && set_group(before.group) && set_groups(before.groups) &&
           same_person(identity_of_thread(), before);
}

} // namespace

Result<CallerRights> CallerRights::of(const Caller& caller) {
    Caller before = identity_of_thread();
    if (same_person(before, caller)) return CallerRights(std::move(before), 0);
    const bool taken = set_groups(caller.groups) && set_group(caller.group) && set_user(caller.user);
    const int why = errno;
    if (taken && same_person(identity_of_thread(), caller) && (caller.is_root() || !has_effective_capability()))
        return CallerRights(std::move(before), static_cast<pid_t>(::syscall(SYS_gettid)));
    if (!become_again(before) && before.user == 0) std::abort();
    return fail(Errc::no_permission,
                fmt::format("cannot reduce the rights to those of user {}:  {}; run the agent as root", caller.user,
                            taken ? "some rights remain" : std::strerror(why)));
}

CallerRights::CallerRights(CallerRights&& other) noexcept
    : before_(std::move(other.before_)), thread_(std::exchange(other.thread_, 0)) {}

CallerRights::~CallerRights() {
    if (thread_ == 0) return;
    // With another user's rights later requests would open other files: abort.
    if (::syscall(SYS_gettid) != thread_ || !become_again(before_)) std::abort();
}

} // namespace mediarig::process
