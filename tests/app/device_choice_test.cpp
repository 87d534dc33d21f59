// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/device_choice.hpp"

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::app;

namespace {

const std::vector<DeviceWords> devices{
    {.key = "usb-1", .name = "one", .serial = "4C530001", .label = "red", .nickname = "blue"},
    {.key = "usb-2", .name = "two", .serial = "4C530002", .label = "red", .nickname = {}},
    {.key = "image-3", .name = "red", .serial = {}, .label = {}, .nickname = "green"},
    {.key = "usb-4", .name = "four", .serial = "AB530002", .label = {}, .nickname = {}}};

Result<std::size_t> choice(const std::string& word) {
    return choose_device(devices, word, "7");
}

} // namespace

TEST_CASE("a device is selected by key, name, serial, label, nickname, or the end of its serial") {
    CHECK(choice("usb-2") == 1U);
    CHECK(choice("two") == 1U);
    CHECK(choice("4C530001") == 0U);
    CHECK(choice("blue") == 0U);
    CHECK(choice("green") == 2U);
    CHECK(choice("0001") == 0U);
    CHECK(choice("C530002") == 1U);
}

TEST_CASE("a name in the plan takes precedence over equal labels") {
    CHECK(choice("red") == 2U);
}

TEST_CASE("a word that matches several devices is refused with a list of them") {
    CHECK(reason(choice("0002")) ==
          "'0002' matches 2 devices of campaign 7: two (label red, serial 4C530002), four (serial AB530002); name one "
          "of them");
    const std::vector<DeviceWords> twins(10, {.key = {}, .name = "x", .serial = "A1", .label = {}, .nickname = {}});
    CHECK_THAT(reason(choose_device(twins, "A1", "7")),
               ContainsSubstring("x (serial A1) and 2 more; name one of them"));
}

TEST_CASE("an unknown word is refused with the devices of the campaign") {
    CHECK(reason(choice("nobody")) ==
          "campaign 7 has no device 'nobody'; its devices are one (label red, nickname blue, serial 4C530001), two "
          "(label red, serial 4C530002), red (nickname green), four (serial AB530002)");
    CHECK_THAT(reason(choice("002")), ContainsSubstring("has no device '002'")); // too short for the end of a serial
    CHECK(reason(choose_device({}, "one", "7")) == "campaign 7 has no device 'one'; it has no devices yet");
}

TEST_CASE("an empty property matches no word") {
    CHECK(!is_called({}, ""));
    CHECK(!choice(""));
}
