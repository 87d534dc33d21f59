// SPDX-License-Identifier: GPL-3.0-or-later
/// Requests to a rig, in the form in which the ledger stores them.
#pragma once

#include <string>

#include "host/base/result.hpp"
#include "host/rig/port/intent.hpp"

namespace mediarig::store {

struct OperationForm {
    std::string op;        ///< "load"
    std::string arguments; ///< JSON: {"from":2,"into":0}; pockets and ports count from 0; bit n of a port set is port n
};
[[nodiscard]] OperationForm form_of(const rig::Operation& operation);
/// Fails with bad_format for an unknown operation, for invalid JSON, or with the faulty member: "load.into: missing".
[[nodiscard]] Result<rig::Operation> operation_from(const OperationForm& form);

} // namespace mediarig::store
