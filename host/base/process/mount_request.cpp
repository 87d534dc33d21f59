// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/process/mount_request.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace mediarig::process {
namespace {

/// The kernel accepts one page of options.
constexpr std::size_t longest_options = 4096;

/// Reads a string in the memory of another process, without its NUL; empty if it cannot be read completely.
std::string read_text(int memory, std::uint64_t address) {
    std::string text;
    std::array<char, longest_options> page{};
    while (text.size() < longest_options) {
        // The next page may be missing.
        const std::uint64_t wanted = page.size() - address % page.size();
        const ssize_t got = ::pread(memory, page.data(), wanted, static_cast<off_t>(address));
        if (got <= 0) return {};
        const char* const end = std::find(page.data(), page.data() + got, '\0');
        text.append(page.data(), static_cast<std::size_t>(end - page.data()));
        if (end != page.data() + got) return text;
        address += static_cast<std::uint64_t>(got);
    }
    return {};
}

} // namespace

// libseccomp keeps one listener for a whole process, so it cannot serve several programs.
Result<Descriptor> intercept_mounts() {
    constexpr auto number = static_cast<std::uint32_t>(offsetof(seccomp_data, nr));
    std::array<sock_filter, 6> steps{
        {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mount, 0, 1),
         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsopen, 0, 1),
         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
    const sock_fprog filter{.len = static_cast<unsigned short>(steps.size()), .filter = steps.data()};
    Descriptor listener(
        static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter)));
    if (listener) return listener;
    return fail(Errc::io_failed, fmt::format("cannot intercept mount(2) (needs Linux 5.9 with seccomp filters): {}",
                                             std::strerror(errno)));
}

std::optional<MountRequest> receive_mount(int listener) {
    seccomp_notif asked{};
    if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) return std::nullopt;
    MountRequest request{
        .id = asked.id, .process = static_cast<pid_t>(asked.pid), .flags = asked.data.args[3], .options = {}};
    const Descriptor memory(::open(fmt::format("/proc/{}/mem", request.process).c_str(), O_RDONLY | O_CLOEXEC));
    // Check after the open: the number of an ended process may be in use again.
    if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &request.id) != 0) return std::nullopt;
    if (memory) request.options = read_text(memory.get(), asked.data.args[4]);
    return request;
}

bool replace_descriptor(int listener, const MountRequest& request, int ours, int number) {
    const seccomp_notif_addfd given{.id = request.id,
                                    .flags = SECCOMP_ADDFD_FLAG_SETFD,
                                    .srcfd = static_cast<std::uint32_t>(ours),
                                    .newfd = static_cast<std::uint32_t>(number),
                                    .newfd_flags = 0};
    return ::ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &given) == number;
}

bool answer_mount(int listener, const MountRequest& request, int error) {
    seccomp_notif_resp answer{.id = request.id, .val = 0, .error = -error, .flags = 0};
    return ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) == 0;
}

} // namespace mediarig::process
