// SPDX-License-Identifier: GPL-3.0-or-later
/// One header for both major versions of Catch2, with the common helpers of all tests.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>
inline auto ContainsSubstring(const std::string& part) {
    return Catch::Matchers::Contains(part);
}
#endif

#include <iostream>
#include <string>

#include "host/base/result.hpp"

/// The error's detail, or "success": a test states its expectation in one line.
template <class T>
std::string reason(const mediarig::Result<T>& result) {
    return result ? std::string("success") : result.error().detail;
}

/// Ends a test that this machine cannot run. The reason is printed and counted by ./run test.
#define MEDIARIG_SKIP(why)                         \
    do {                                           \
        std::cout << "SKIPPED: " << (why) << '\n'; \
        return;                                    \
    } while (false)
