// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdlib>

namespace {
/// The expected texts contain times in UTC, on a machine in any zone.
[[maybe_unused]] const int zone_is_set = ::setenv("TZ", "UTC", 1);
} // namespace

#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>

int main(int argc, char** argv) {
    return Catch::Session().run(argc, argv);
}
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
