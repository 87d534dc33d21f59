// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/core/link/session.hpp"

#include "tests/catch.hpp"

using namespace mediarig::firmware;

namespace {

/// Returns a session after this number of HELLOs of one host, with nonces from 1. The compiler evaluates this function
/// and detects reads outside the table of nonces.
constexpr Session introduced(std::uint16_t times) {
    Session session;
    for (std::uint16_t nonce = 1; nonce <= times; ++nonce)
        session.adopt(HostInterface::usb, nonce, Session::Rights::full, session.owner_knows(nonce - 1));
    return session;
}

} // namespace

TEST_CASE("session: a host is recognised by each of its last four nonces after any number of HELLOs") {
    constexpr Session once = introduced(1), often = introduced(7);
    STATIC_REQUIRE(once.owner_knows(1));
    STATIC_REQUIRE_FALSE(once.owner_knows(2));
    STATIC_REQUIRE(often.owner_knows(7));
    STATIC_REQUIRE(often.owner_knows(4));
    STATIC_REQUIRE_FALSE(often.owner_knows(3));
    STATIC_REQUIRE_FALSE(often.owner_knows(0));
    STATIC_REQUIRE(often.used(4));
    STATIC_REQUIRE_FALSE(often.used(3));
}

TEST_CASE("session: a host does not inherit the nonces of the former host") {
    constexpr Session session = [] {
        Session taken = introduced(3);
        taken.adopt(HostInterface::usb, 40, Session::Rights::full);
        return taken;
    }();
    STATIC_REQUIRE(session.owner_knows(40));
    STATIC_REQUIRE_FALSE(session.owner_knows(3));
    STATIC_REQUIRE(session.used(3));
}
