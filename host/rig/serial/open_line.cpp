// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/serial/open_line.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/rigproto/codec.hpp"

namespace mediarig::rig {
namespace {

/// "dialout" on Debian; read from the device node.
std::string group_of(const std::string& path) {
    struct stat node {};
    if (::stat(path.c_str(), &node) != 0) return "dialout";
    struct group entry {};
    struct group* found = nullptr;
    std::array<char, 4096> buffer{};
    if (::getgrgid_r(node.st_gid, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr)
        return "dialout";
    return entry.gr_name;
}

tl::unexpected<Error> busy(const std::string& path) {
    return fail(
        Errc::rig_fault,
        fmt::format("the rig's line {0} is in use by another program; end that program first (fuser -v {0} names it)",
                    path));
}

tl::unexpected<Error> cannot_open(const std::string& path, int why) {
    switch (why) {
        case ENOENT:
        case ENODEV:
        case ENXIO:
            return fail(
                Errc::rig_fault,
                fmt::format(
                    "there is no line {}: check that the rig is plugged in; mediarig rig find lists the rigs on USB",
                    path));
        case EBUSY:
            return busy(path);
        case EACCES:
        case EPERM:
            return fail(
                Errc::no_permission,
                fmt::format("{0} may not be opened by this user: join its group (sudo usermod -aG {1} \"$USER\") and "
                            "log in again",
                            path, group_of(path)));
        default:
            return fail(Errc::io_failed, fmt::format("{} cannot be opened: {}", path, std::strerror(why)));
    }
}

} // namespace

SerialPort::~SerialPort() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Result<SerialPort> open_line(const std::string& path) {
    SerialPort line(::open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
    if (line.get() < 0) return cannot_open(path, errno);
    termios settings{};
    if (::tcgetattr(line.get(), &settings) != 0)
        return fail(Errc::rig_fault, fmt::format("{} is not a serial line: see mediarig rig find", path));
    if (::flock(line.get(), LOCK_EX | LOCK_NB) != 0) return busy(path);
    ::cfmakeraw(&settings);
    settings.c_cflag |= CLOCAL | CREAD;
    // Closing must not drop DTR: the board would see an unplugged cable.
    settings.c_cflag &= ~static_cast<tcflag_t>(HUPCL | CSTOPB | CRTSCTS);
    ::cfsetispeed(&settings, B115200);
    ::cfsetospeed(&settings, B115200);
    if (::tcsetattr(line.get(), TCSANOW, &settings) != 0)
        return fail(Errc::io_failed, fmt::format("{} cannot be set to raw mode: {}", path, std::strerror(errno)));
    // Discard old input, which is for an earlier session. Keep old output: it may be the end of that session.
    ::tcflush(line.get(), TCIFLUSH);
    return line;
}

Result<bool> stop_through_holder(const std::string& path) {
    SerialPort line(::open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
    if (line.get() < 0) return cannot_open(path, errno);
    if (::isatty(line.get()) == 0)
        return fail(Errc::rig_fault, fmt::format("{} is not a serial line: see mediarig rig find", path));
    if (::flock(line.get(), LOCK_EX | LOCK_NB) == 0) return false;
    // The zeros end a partial frame. A separate session number prevents the other program from accepting the answer as
    // its own.
    constexpr std::uint16_t session = 0x5354;
    const auto frame = rigproto::encode({.kind = rigproto::Kind::stop, .session = session, .seq = 1});
    std::vector<std::uint8_t> bytes{0, 0};
    bytes.insert(bytes.end(), frame.span().begin(), frame.span().end());
    const ssize_t written = ::write(line.get(), bytes.data(), bytes.size());
    if (written != static_cast<ssize_t>(bytes.size()))
        return fail(Errc::io_failed, fmt::format("{} accepts no STOP: press the emergency stop", path));
    return true;
}

} // namespace mediarig::rig
