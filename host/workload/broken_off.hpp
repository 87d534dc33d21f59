// SPDX-License-Identifier: GPL-3.0-or-later
/// Why a job ended before its work was done.
#pragma once

#include <string>

#include "host/workload/io_errors.hpp"

namespace mediarig::workload {

/// The error of a job that its errors, or a request to cancel, broke off; `where` as in "while the files were written".
[[nodiscard]] tl::unexpected<Error> broken_off(const IoErrors& errors, const std::string& where);

} // namespace mediarig::workload
