// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/format/hfsplus_volume.hpp"

#include "host/media/format/linux/hfsplus_write.hpp"
#include "tests/catch.hpp"

namespace mediarig::test {

media::hfsplus::Options some_options() {
    return {.name = u"Card",
            .created = std::chrono::sys_seconds(std::chrono::seconds(1'700'000'000)),
            .volume_id = 0x0123456789ABCDEF};
}

MadeVolume make_volume(Bytes size, const media::hfsplus::Options& options) {
    const auto layout = media::hfsplus::plan_volume(size, 512_B, options);
    REQUIRE(reason(layout) == "success");
    MadeVolume made{.image = Image(size), .layout = *layout};
    REQUIRE(reason(media::hfsplus::write_volume(made.image.descriptor(), *layout, nullptr)) == "success");
    return made;
}

} // namespace mediarig::test
