// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/process/sandbox.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "host/base/descriptor.hpp"

namespace mediarig::process {
namespace {

auto failure(const char* what) {
    return fail(Errc::io_failed, fmt::format("cannot drop rights: {}: {}", what, std::strerror(errno)));
}

// Rights and rule sets that the kernel headers of some build machines lack (Linux 6.2, 6.7, 6.10, 6.12).
constexpr std::uint64_t truncate_right = 1ULL << 14;
constexpr std::uint64_t device_control_right = 1ULL << 15;
struct RuleSet {
    std::uint64_t files{};
    std::uint64_t network{}; ///< TCP: bind, connect
    std::uint64_t scopes{};  ///< abstract UNIX sockets, signals
};

constexpr std::uint64_t read_rights =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t file_rights =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | truncate_right | device_control_right;

/// The restrictions that this version of Landlock supports: an unknown bit is an error.
RuleSet known_to(long version) {
    RuleSet known{.files = LANDLOCK_ACCESS_FS_MAKE_SYM * 2 - 1}; // the first 13
    if (version >= 2) known.files |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= 3) known.files |= truncate_right;
    if (version >= 4) known.network = 3;
    if (version >= 5) known.files |= device_control_right;
    if (version >= 6) known.scopes = 3;
    return known;
}

bool allow(const Descriptor& rules, int below, std::uint64_t rights, const RuleSet& known) {
    landlock_path_beneath_attr rule{};
    rule.allowed_access = rights & known.files;
    rule.parent_fd = below;
    return ::syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

/// A missing path needs no rule.
bool allow(const Descriptor& rules, const std::string& path, std::uint64_t rights, const RuleSet& known) {
    const Descriptor below(::open(path.c_str(), O_PATH | O_CLOEXEC));
    return !below || allow(rules, below.get(), rights, known);
}

Result<void> restrict_files(const std::string& program, const std::vector<int>& inherited) {
    const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1) return {}; // not compiled in, or disabled: the capabilities are dropped in any case
    const RuleSet known = known_to(version);
    const Descriptor rules(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &known, sizeof known, 0)));
    if (!rules) return failure("no Landlock rules");
    bool allowed = true;
    for (const char* folder : {"/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/etc", "/proc", "/sys"})
        allowed = allowed && allow(rules, folder, read_rights, known);
    allowed = allowed && allow(rules, program.substr(0, program.rfind('/') + 1), read_rights, known);
    for (const char* device : {"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"})
        allowed = allowed && allow(rules, device, file_rights, known);
    for (const int descriptor : inherited) {
        struct stat status {};
        const bool has_path = ::fstat(descriptor, &status) == 0 && (S_ISBLK(status.st_mode) || S_ISREG(status.st_mode));
        if (has_path) allowed = allowed && allow(rules, descriptor, file_rights, known);
    }
    if (!allowed) return failure("no Landlock rule");
    if (::syscall(SYS_landlock_restrict_self, rules.get(), 0) != 0) return failure("Landlock");
    return {};
}

} // namespace

Result<void> keep_capabilities(Capabilities kept) {
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
    if (::syscall(SYS_capget, &header, sets.data()) != 0) return failure("capget");
    // Changing the bounding set needs an effective CAP_SETPCAP, so it happens before the other sets.
    for (int number = 0; ::prctl(PR_CAPBSET_READ, number) >= 0; ++number)
        if ((kept & capability(number)) == 0) (void)::prctl(PR_CAPBSET_DROP, number);
    (void)::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    for (std::size_t i = 0; i < sets.size(); ++i) {
        const auto part = static_cast<std::uint32_t>(kept >> (32 * i));
        sets[i].permitted &= part;
        sets[i].effective &= part;
        sets[i].inheritable = 0;
    }
    if (::syscall(SYS_capset, &header, sets.data()) != 0) return failure("capset");
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failure("no new privileges");
    return {};
}

Result<void> enter_sandbox(const Sandbox& sandbox, const std::string& path, const std::vector<int>& inherited) {
    if (auto kept = keep_capabilities(sandbox.capabilities); !kept) return kept;
    if (sandbox.only_inherited_files) return restrict_files(path, inherited);
    return {};
}

} // namespace mediarig::process
