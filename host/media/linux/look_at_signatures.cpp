// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/linux/look_at_signatures.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "host/media/linux/blkid_probe.hpp"

namespace mediarig::media {

Result<std::vector<Signature>> look_at_signatures(const std::string& node) {
    const int fd = ::open(node.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail(errno == EACCES ? Errc::no_permission : Errc::no_medium,
                    node + " cannot be read: " + std::strerror(errno));
    Bytes size;
    Result<std::vector<Signature>> found = fail(Errc::no_medium, node + " does not report its size");
    if (::ioctl(fd, BLKGETSIZE64, &size.count) == 0) {
        // What cannot be read is judged by the claim.
        auto scan = probe_signatures(fd, size);
        if (scan)
            found = std::move(scan->found);
        else
            found = fail(scan.error());
    }
    ::close(fd);
    return found;
}

} // namespace mediarig::media
