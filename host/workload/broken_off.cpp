// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/broken_off.hpp"

#include <system_error>

namespace mediarig::workload {

tl::unexpected<Error> broken_off(const IoErrors& errors, const std::string& where) {
    if (errors.of_host()) return fail(*errors.of_host());
    if (errors.medium_lost())
        return fail(Errc::no_medium, "the medium vanished " + where + "; check contact and power, then resume");
    if (errors.medium_full())
        return fail(Errc::io_failed, "the medium is full " + where + "; make room or ask for a smaller span");
    if (errors.first_error() != 0)
        return fail(Errc::io_failed, "stopped at the first I/O error " + where + ": " +
                                         std::generic_category().message(errors.first_error()));
    if (errors.any()) return fail(Errc::io_failed, "stopped at the first short transfer " + where);
    return fail(Errc::cancelled, "cancelled " + where + "; finished cells are kept");
}

} // namespace mediarig::workload
