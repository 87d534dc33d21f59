// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/line.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace mediarig::agent {
namespace {

Error cannot_open(const std::string& path, int cause) {
    const Errc code = cause == ENOENT || cause == ENOTDIR || cause == EISDIR || cause == ENXIO ? Errc::bad_request
                      : cause == EACCES || cause == EPERM                                      ? Errc::no_permission
                                                                                               : Errc::io_failed;
    return {code, "cannot open " + path + ": " + std::strerror(cause)};
}

Result<void> set_raw(int terminal, const std::string& path) {
    termios settings{};
    if (::tcgetattr(terminal, &settings) == 0) {
        ::cfmakeraw(&settings);
        if (::tcsetattr(terminal, TCSANOW, &settings) == 0) return {};
    }
    return fail(Errc::io_failed, "cannot set the terminal " + path + " to raw bytes: " + std::strerror(errno));
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
        return fail(Errc::io_failed,
                    std::string("standard input and output are not to be had: ") + std::strerror(cause));
    return line;
}

Result<LineEnds> open_device_line(const std::string& path) {
    // Not waiting for a carrier, and not becoming the terminal that signals come from.
    const int device = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (device < 0) return fail(cannot_open(path, errno));
    struct stat status {};
    if (::fstat(device, &status) != 0 || !S_ISCHR(status.st_mode)) {
        ::close(device);
        return fail(Errc::bad_request, path + " is no character device: name a serial port or a virtio port");
    }
    if (::isatty(device) == 1)
        if (auto raw = set_raw(device, path); !raw) {
            ::close(device);
            return fail(std::move(raw.error()));
        }
    return LineEnds{device, device};
}

} // namespace mediarig::agent
