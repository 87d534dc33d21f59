// SPDX-License-Identifier: GPL-3.0-or-later
/// Slow tests are drawn: a run makes some of them, and every commit draws others. ./run test gives the start value
/// (MEDIARIG_SAMPLE_START); where there is none, as with --thorough or tests that are named, all are made.
#pragma once

#include <string_view>

#include "tests/catch.hpp"

namespace mediarig::test {

/// Whether this run makes a sample only.
[[nodiscard]] bool is_sample();
/// Whether this run makes what is called `name`: one in `n` of such names, n > 0.
[[nodiscard]] bool in_sample(unsigned n, std::string_view name);
/// The tests that boot the lab lie in parts that take about the same time, and a run makes one part: drawn one by one,
/// they would take a minute in one run and half an hour in the next.
inline constexpr unsigned lab_parts = 5;
[[nodiscard]] bool in_lab_part(unsigned part);

} // namespace mediarig::test

#define MEDIARIG_SKIP_UNDRAWN(drawn) \
    if (!(drawn)) MEDIARIG_SKIP("not drawn for this commit's sample (--thorough makes all, or name the test)")
/// Ends a test that this run has not drawn; one in `n` goes on.
#define MEDIARIG_SAMPLED(n) \
    MEDIARIG_SKIP_UNDRAWN(mediarig::test::in_sample(n, Catch::getResultCapture().getCurrentTestName()))
/// Ends a test of the lab that lies in another part than this run's.
#define MEDIARIG_LAB_PART(part) MEDIARIG_SKIP_UNDRAWN(mediarig::test::in_lab_part(part))
