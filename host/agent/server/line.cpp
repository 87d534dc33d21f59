// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/server/line.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace mediarig::agent {
namespace {

/// Searches the kernel's list of devices for the device without opening it.
bool is_line(dev_t device) {
    // The list omits the slave ends of pseudo-terminals: majors 136 to 143 in the kernel's devices.txt.
    if (major(device) >= 136 && major(device) <= 143) return true;
    const std::string entry =
        "/sys/dev/char/" + std::to_string(major(device)) + ":" + std::to_string(minor(device)) + "/subsystem";
    std::error_code none;
    const std::string subsystem = std::filesystem::read_symlink(entry, none).filename();
    return subsystem == "tty" || subsystem == "virtio-ports";
}

Result<void> set_raw(int terminal, const std::string& path) {
    termios settings{};
    if (::tcgetattr(terminal, &settings) == 0) {
        ::cfmakeraw(&settings);
        if (::tcsetattr(terminal, TCSANOW, &settings) == 0) return {};
    }
    return fail(Errc::io_failed, "cannot set the terminal " + path + " to raw mode: " + std::strerror(errno));
}

} // namespace

Result<LineEnds> take_standard_streams() {
    const LineEnds line{::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)};
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    const bool taken = line.read >= 0 && line.write >= 0 && ::dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 &&
                       (nothing >= 0 ? ::dup2(nothing, STDIN_FILENO) : ::close(STDIN_FILENO)) >= 0;
    const int cause = errno;
    if (nothing >= 0) ::close(nothing);
    if (!taken)
        return fail(Errc::io_failed, std::string("cannot use standard input and output: ") + std::strerror(cause));
    return line;
}

Result<LineEnds> open_device_line(const process::Caller& caller, const std::string& path) {
    const auto found = process::find_as(caller, path);
    if (!found) return fail(found.error());
    if (!S_ISCHR(found->status.st_mode) || !is_line(found->status.st_rdev))
        return fail(Errc::bad_request,
                    path + " cannot be a connection: name a terminal, a serial port or a virtio port");
    auto device = process::reopen_as(caller, *found, O_RDWR | O_NONBLOCK);
    if (!device) return fail(device.error());
    if (::isatty(device->descriptor.get()) == 1)
        if (auto raw = set_raw(device->descriptor.get(), path); !raw) return fail(std::move(raw.error()));
    const int line = device->descriptor.release();
    return LineEnds{line, line};
}

} // namespace mediarig::agent
