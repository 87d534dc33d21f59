// SPDX-License-Identifier: GPL-3.0-or-later
/// Requests to a rig, in the form of its ledger.
#pragma once

#include <string>

#include "host/base/result.hpp"
#include "host/rig/port/intent.hpp"

namespace mediarig::store {

struct OperationForm {
    std::string op;        ///< "load"
    std::string arguments; ///< JSON: {"from":2,"into":0}. Pockets and ports from 0; bit n of a set of ports is port n
};
[[nodiscard]] OperationForm form_of(const rig::Operation& operation);
/// Fails with bad_format: an unknown operation, invalid JSON, or a description of the fault: "load.into: missing".
[[nodiscard]] Result<rig::Operation> operation_from(const OperationForm& form);

} // namespace mediarig::store
