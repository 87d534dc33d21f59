// SPDX-License-Identifier: GPL-3.0-or-later
/// What a rig was asked to do, as its ledger holds it.
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
/// Fails with bad_format: no such operation, no JSON, or what is wrong there: "load.into: missing".
[[nodiscard]] Result<rig::Operation> operation_from(const OperationForm& form);

} // namespace mediarig::store
