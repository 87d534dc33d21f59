// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/result.hpp"

namespace mediarig {

int exit_status(Errc code) {
    if (code == Errc::bad_request) return 2;
    return code == Errc::refused ? 4 : 3;
}

} // namespace mediarig
