// SPDX-License-Identifier: GPL-3.0-or-later
/// Slow tests are sampled: a run executes some of them, and the run for another commit executes other tests. ./run test
/// gives the seed (MEDIARIG_SAMPLE_START). Without a seed, as with --thorough or for named tests, all are executed.
#pragma once

#include <string_view>

#include "tests/catch.hpp"

namespace mediarig::test {

/// True if this run executes a sample only.
[[nodiscard]] bool is_sample();
/// True if this run executes the test `name`: one in `n` of such names, n > 0.
[[nodiscard]] bool in_sample(unsigned n, std::string_view name);
/// The tests that boot the lab are in parts of about the same duration, and a run executes one part: sampled one by
/// one, they would take a minute in one run and half an hour in the next.
inline constexpr unsigned lab_parts = 5;
[[nodiscard]] bool in_lab_part(unsigned part);

} // namespace mediarig::test

#define MEDIARIG_SKIP_UNDRAWN(drawn) \
    if (!(drawn)) MEDIARIG_SKIP("not drawn for this commit's sample (--thorough makes all, or name the test)")
/// Skips a test that is not in this run's sample, on average all but one in `n`.
#define MEDIARIG_SAMPLED(n) \
    MEDIARIG_SKIP_UNDRAWN(mediarig::test::in_sample(n, Catch::getResultCapture().getCurrentTestName()))
/// Skips a test of the lab that is in another part than this run's.
#define MEDIARIG_LAB_PART(part) MEDIARIG_SKIP_UNDRAWN(mediarig::test::in_lab_part(part))
