// SPDX-License-Identifier: GPL-3.0-or-later
/// The shortest job of a suite.
#pragma once

#include <string>
#include <string_view>

#include "host/workload/suites/suite.hpp"
#include "tests/catch.hpp"

namespace mediarig::tests {

[[nodiscard]] inline workload::JobSpec quick_job(std::string_view suite, Bytes available) {
    suites::SuiteRequest request;
    request.name = suite;
    request.quick = true;
    auto job = suites::expand(request, available);
    REQUIRE(reason(job) == "success");
    return *job;
}

} // namespace mediarig::tests
