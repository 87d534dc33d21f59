// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/errno_error.hpp"

#include <cerrno>
#include <system_error>

namespace mediarig::workload {

Error error_from(int error, const std::string& what) {
    const std::string text = "cannot " + what + ": " + std::generic_category().message(error);
    if (says_gone(error)) return {Errc::no_medium, text + "; check contact and power, then start again"};
    switch (error) {
        case EACCES:
        case EPERM:
            return {Errc::no_permission,
                    text + "; name a place that you may write to, or start mediarig as a user who may"};
        case ENOENT:
        case ENOTDIR:
            return {Errc::bad_request, text + "; name an existing directory or device"};
        case EROFS:
            return {Errc::io_failed, text + "; move the write-protect switch or mount it for writing"};
        case ENOSPC:
        case EDQUOT:
            return {Errc::io_failed, text + "; make room or ask for a smaller span"};
        case EFBIG:
            return {Errc::bad_request, text + "; the file system allows no file of this size, ask for a smaller span"};
        default:
            return {Errc::io_failed, text + "; see the kernel's log"};
    }
}

bool says_gone(int error) {
#if defined(ENOMEDIUM)
    if (error == ENOMEDIUM) return true;
#endif
    return error == ENODEV || error == ENXIO || error == ESHUTDOWN;
}

} // namespace mediarig::workload
