// SPDX-License-Identifier: GPL-3.0-or-later
/// Slow tests are drawn: a run makes some of them, and every commit draws others. ./run test gives the start value
/// (MEDIARIG_SAMPLE_START); where there is none, as with --thorough or tests that are named, all are made.
#pragma once

#include <string_view>

#include "tests/catch.hpp"

namespace mediarig::test {

/// Whether this run makes what is called `name`: one in `n` of such names, n > 0.
[[nodiscard]] bool in_sample(unsigned n, std::string_view name);

} // namespace mediarig::test

/// Ends a test that this run has not drawn; one in `n` goes on.
#define MEDIARIG_SAMPLED(n)                                                            \
    if (!mediarig::test::in_sample(n, Catch::getResultCapture().getCurrentTestName())) \
    MEDIARIG_SKIP("not drawn for this commit's sample (--thorough makes all, or name the test)")
