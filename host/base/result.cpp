// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/result.hpp"

#include <array>

namespace mediarig {
namespace {

struct Row {
    Errc code;
    std::string_view name;
    int exit_status;
};

constexpr std::array rows{
    Row{Errc::bad_request, "bad_request", 2}, Row{Errc::refused, "refused", 4},
    Row{Errc::no_medium, "no_medium", 3},     Row{Errc::no_driver, "no_driver", 3},
    Row{Errc::host_fault, "host_fault", 3},   Row{Errc::no_permission, "no_permission", 3},
    Row{Errc::io_failed, "io_failed", 3},     Row{Errc::bad_format, "bad_format", 3},
    Row{Errc::timed_out, "timed_out", 3},     Row{Errc::cancelled, "cancelled", 3},
    Row{Errc::agent_lost, "agent_lost", 3},   Row{Errc::store_failed, "store_failed", 3},
    Row{Errc::rig_fault, "rig_fault", 3},
};

const Row& row_of(Errc code) {
    for (const Row& row : rows)
        if (row.code == code) return row;
    return rows.front();
}

} // namespace

std::string_view name_of(Errc code) {
    return row_of(code).name;
}

Result<Errc> errc_from(std::string_view name) {
    for (const Row& row : rows)
        if (row.name == name) return row.code;
    return fail(Errc::bad_format, "unknown error code '" + std::string(name) + "'");
}

int exit_status(Errc code) {
    return row_of(code).exit_status;
}

} // namespace mediarig
