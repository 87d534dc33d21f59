// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <utility>

#include "host/base/result.hpp"

namespace mediarig::workload {

/// What was made by value, as the port hands it out.
template <class Port, class Made>
[[nodiscard]] Result<std::unique_ptr<Port>> on_heap(Result<Made> made) {
    if (!made) return fail(made.error());
    return std::make_unique<Made>(std::move(*made));
}

} // namespace mediarig::workload
