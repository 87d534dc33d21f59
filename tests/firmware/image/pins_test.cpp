// SPDX-License-Identifier: GPL-3.0-or-later
/// hw/pins.csv and the generated header.
#include "hw/pins.hpp"
#include "common/crc32.hpp"
#include "tests/catch.hpp"
#include "tests/firmware/image/run_check.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::test;

namespace {

process::Finished header_of(const std::string& map, const std::string& header) {
    return run("python3", {source("hw/pins_header.py"), map, header});
}

} // namespace

TEST_CASE("the hash of the pin map is the CRC-32 of the file") {
    const std::string map = contents(source("hw/pins.csv"));
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(map.data());
    CHECK(pins::pin_map_hash == crc32({bytes, map.size()}));
}

TEST_CASE("the header contains every pin with its number except reserved and free ones") {
    CHECK(pins::x_step == 2);
    CHECK(pins::safety_ok == 22);
    CHECK(pins::out::pump == 16);
    CHECK(pins::in::z_home == 16);
    // IN0..IN19 and the link on IN23 mean "yes" when low; the others are spare.
    CHECK(pins::chain_inputs_active_low == 0x8FFFFF);
    for (const pins::Pin& pin : pins::set_up) {
        CAPTURE(int{pin.number});
        CHECK(pin.number != 15);
        if (pin.number == pins::mot_en_n || pin.number == pins::out_en_n) CHECK(pin.safe_high);
    }
}

TEST_CASE("an inconsistent pin map is refused and no header is written") {
    struct Row {
        const char *line, *instead, *complaint;
    };
    const Row rows[] = {
        {"3,X_DIR,", "2,X_DIR,", "2 X_DIR: the pin is used twice"},
        {"3,X_DIR,", "3,X_STEP,", "3 X_STEP: the signal is named twice"},
        {"3,X_DIR,", "24,X_DIR,", "24 X_DIR: the Pico does not bring out this pin"},
        {"3,X_DIR,", "thirty,X_DIR,", "thirty X_DIR: no such place"},
        {"3,X_DIR,", "3,x dir,", "3 x dir: not a name"},
        {"3,X_DIR,out,", "3,X_DIR,both,", "3 X_DIR: direction cannot be 'both'"},
        {"15,NC,-,-,-,-,-,", "15,NC,out,none,high,0,sio,", "15 NC: must stay free for erratum RP2040-E5"},
        {"15,NC,-,-,-,-,-,left free for erratum RP2040-E5\n", "", "15: must be listed as left free"},
        {"6,MOT_EN_N,out,none,low,1,", "6,MOT_EN_N,out,none,low,0,", "6 MOT_EN_N: its safe level is its active one"},
        {"2,X_STEP,out,none,high,0,", "2,X_STEP,out,none,high,-,", "2 X_STEP: an output needs a safe level"},
        {"OUT18,NEST_POWER", "OUT24,NEST_POWER", "OUT24 NEST_POWER: the chain has 24 bits"},
        {"OUT18,NEST_POWER,out", "OUT18,NEST_POWER,in", "OUT18 NEST_POWER: direction 'in' does not fit the place"},
        {"IN17,DRIVER_FAULT,in,up,low,-,chain", "IN17,DRIVER_FAULT,in,up,low,-,sio",
         "IN17 DRIVER_FAULT: function 'sio' does not fit the place"},
        {"26,PORT_CURRENT,analog,none,-,-,adc0", "26,PORT_CURRENT,analog,none,-,-,adc1",
         "26 PORT_CURRENT: adc1 is another pin"},
        {"gp,signal,direction", "gp,name,direction", "the first line must be gp,signal,direction"},
    };
    const std::string map = contents(source("hw/pins.csv"));
    const tests::Scratch place;
    for (const Row& row : rows) {
        CAPTURE(row.complaint);
        std::string changed = map;
        const auto at = changed.find(row.line);
        REQUIRE(at != std::string::npos);
        changed.replace(at, std::string_view(row.line).size(), row.instead);
        place.write("pins.csv", changed);
        const auto finished = header_of(place.path("pins.csv"), place.path("pins.hpp"));
        CHECK(finished.exit_status == 1);
        CHECK_THAT(finished.err, ContainsSubstring(row.complaint));
        CHECK_FALSE(std::filesystem::exists(place.path("pins.hpp")));
    }
}
