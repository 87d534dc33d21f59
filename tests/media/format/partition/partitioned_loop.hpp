// SPDX-License-Identifier: GPL-3.0-or-later
/// Common parts of tests with partitioned media: a table by sfdisk on a loop device.
#pragma once

#include <string>

#include "tests/media/format/format_loop.hpp"

namespace mediarig::test {

/// sfdisk's script: "label: gpt\n2048,131072,U\n".
inline void partition_by_sfdisk(const LoopMedium& medium, const std::string& script) {
    const auto finished =
        run_checker("sh", {"-c", "printf '%s' \"$1\" | sfdisk --quiet --no-reread --no-tell-kernel --wipe never \"$2\"",
                           "sh", script, medium.node()});
    INFO(finished.err << finished.out);
    REQUIRE(finished.succeeded());
}

} // namespace mediarig::test
