// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/identity/title.hpp"

#include "tests/catch.hpp"

using namespace mediarig::media;

namespace {

Medium with(const char* vendor, const char* model, const char* serial) {
    Medium medium;
    medium.node = "/dev/sdb";
    medium.transport = Transport::usb;
    medium.vendor = vendor;
    medium.model = model;
    medium.serial = serial;
    return medium;
}

} // namespace

TEST_CASE("the short title of a medium is its model with the end of its serial") {
    CHECK(short_title(with("SanDisk", "SN64G", "0xd8461234")) == "SanDisk SN64G 1234");
    CHECK(short_title(with("SanDisk", "SanDisk Ultra", "4C53")) == "SanDisk Ultra 4C53");
    CHECK(short_title(with("", "SN64G", "")) == "SN64G");
    CHECK(short_title(with("", "", "4C530001")) == "0001");
    CHECK(short_title(with("", "", "")) == "");
}

TEST_CASE("the short title of an image is its file name, also on a loop device") {
    Medium image = with("", "", "");
    image.node = "/srv/card.img";
    image.transport = Transport::image;
    CHECK(short_title(image) == "card.img");
    Medium loop = with("", "", "");
    loop.transport = Transport::loop;
    loop.backing_file = "/srv/other.img";
    CHECK(short_title(loop) == "other.img");
}

TEST_CASE("a short title is printable") {
    CHECK(short_title(with("", "\x1b[2J", "")).find('\x1b') == std::string::npos);
}
