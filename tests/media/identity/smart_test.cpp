// SPDX-License-Identifier: GPL-3.0-or-later
/// Output of smartctl, written by hand in its JSON format 1.0, and its meaning.

#include "host/media/identity/indications.hpp"
#include "host/media/identity/rows.hpp"
#include "host/media/identity/smart/smart_json.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/media/identity/shown.hpp"

using namespace mediarig;
using namespace mediarig::media;
using Lines = std::vector<std::string>;

namespace {

const char* const sata_behind_usb = R"({
  "json_format_version": [1, 0],
  "smartctl": {"version": [7, 3], "exit_status": 0},
  "device": {"name": "/dev/sdb", "type": "sat", "protocol": "ATA"},
  "model_name": "Example SSD 500GB", "serial_number": "S3Z1NB0K000000A", "firmware_version": "RVT04B6Q",
  "smart_support": {"available": true, "enabled": true},
  "smart_status": {"passed": true},
  "ata_smart_attributes": {"revision": 1, "table": [
    {"id": 5, "name": "Reallocated_Sector_Ct", "value": 100, "worst": 100, "thresh": 10, "raw": {"value": 3, "string": "3"}},
    {"id": 9, "name": "Power_On_Hours", "raw": {"value": 1234, "string": "1234"}},
    {"id": 197, "name": "Current_Pending_Sector", "raw": {"value": 0, "string": "0"}}]},
  "power_on_time": {"hours": 1234}, "power_cycle_count": 56, "temperature": {"current": 31}
})";

const char* const nvme_behind_usb = R"({
  "smartctl": {"version": [7, 3], "exit_status": 8},
  "device": {"name": "/dev/sdb", "type": "sntasmedia", "protocol": "NVMe"},
  "model_name": "Example NVMe 1TB", "serial_number": "2134E5", "firmware_version": "3B4QFXO7",
  "smart_status": {"passed": false, "nvme": {"value": 4}},
  "nvme_smart_health_information_log": {"critical_warning": 4, "temperature": 52, "percentage_used": 101,
    "power_cycles": 77, "power_on_hours": 4321, "media_errors": 12}
})";

std::string unsupported_stick(const char* message) {
    return std::string(R"({"smartctl": {"version": [7, 3], "messages": [{"string": ")") + message +
           R"(", "severity": "error"}], "exit_status": 1}})";
}

Medium on(Transport transport) {
    Medium medium;
    medium.node = "/dev/sdb";
    medium.transport = transport;
    if (transport == Transport::usb) medium.usb = UsbIdentity{};
    return medium;
}

} // namespace

TEST_CASE("SMART of a good SATA disk on a bridge is read") {
    const SmartReport report = smart_report_from(sata_behind_usb, 0);
    CHECK(report.state == SmartState::passed);
    CHECK(report.detail.empty());
    CHECK(report.tool == "smartctl 7.3");
    CHECK(report.device_type == "sat");
    CHECK(report.model == "Example SSD 500GB");
    CHECK(report.serial == "S3Z1NB0K000000A");
    CHECK(report.firmware == "RVT04B6Q");
    CHECK(report.temperature_c == 31);
    CHECK(report.power_on_hours == 1234);
    CHECK(report.power_cycles == 56);
    CHECK(report.reallocated_sectors == 3);
    CHECK(report.pending_sectors == 0);
    CHECK_FALSE(report.media_errors);
    CHECK(report.exit_meanings.empty());
}

TEST_CASE("SMART: written data is in bytes only if the unit of the attribute is known") {
    const auto ata = [](const char* database, const char* name, const char* value) {
        return smart_report_from(std::string(R"({"in_smartctl_database": )") + database +
                                     R"(, "ata_smart_attributes": {"table": [{"id": 241, "name": ")" + name +
                                     R"(", "raw": {"value": )" + value + R"(}}]}})",
                                 0)
            .written;
    };
    CHECK(ata("true", "Total_LBAs_Written", "1000") == 512'000_B);
    CHECK(ata("true", "Host_Writes_32MiB", "3") == 96_MiB);
    CHECK(ata("true", "Lifetime_Writes_GiB", "7") == 7_GiB);
    CHECK_FALSE(ata("true", "Unknown_Attribute", "7"));
    CHECK_FALSE(ata("false", "Total_LBAs_Written", "1000"));
    CHECK_FALSE(ata("true", "Lifetime_Writes_GiB", "18446744073709551615"));
    CHECK(smart_report_from(R"({"nvme_smart_health_information_log": {"data_units_written": 2}})", 0).written ==
          1'024'000_B);
}

TEST_CASE("SMART: the used life of an ATA disk is read from smartctl 7.4 on") {
    CHECK(smart_report_from(R"({"endurance_used": {"current_percent": 7}})", 0).percentage_used == 7u);
    CHECK_FALSE(smart_report_from(sata_behind_usb, 0).percentage_used);
}

TEST_CASE("SMART of a failing NVMe disk on a bridge is shown in rows and notes") {
    Medium medium = on(Transport::usb);
    medium.smart = smart_report_from(nvme_behind_usb, 8);
    CHECK(medium.smart->state == SmartState::failing);
    CHECK(medium.smart->exit_meanings == Lines{"the disk reports that it is failing"});
    const auto rows = identity_rows(medium);
    CHECK(shown(rows, "SMART", "health") == "failing (smartctl 7.3)");
    CHECK(shown(rows, "SMART", "asked_as") == "sntasmedia (smartctl 7.3)");
    CHECK(shown(rows, "SMART", "temperature") == "52 °C (smartctl 7.3)");
    CHECK(shown(rows, "SMART", "power_on_time") == "4321 h (smartctl 7.3)");
    CHECK(shown(rows, "SMART", "power_cycles") == "77 (smartctl 7.3)");
    CHECK(shown(rows, "SMART", "percentage_used") == "101 % (smartctl 7.3)");
    CHECK(shown(rows, "SMART", "media_errors") == "12 (smartctl 7.3)");
    CHECK(shown(rows, "SMART", "critical_warning") == "4 bits (smartctl 7.3)");
    CHECK(shown(rows, "SMART", "reallocated_sectors").empty());
    REQUIRE(attachment_notes(medium).size() == 1);
    CHECK(attachment_notes(medium)[0].name == "smart_failing");
}

TEST_CASE("a stick or card reader without SMART is unsupported, not failed") {
    const auto stick = smart_report_from(unsupported_stick("/dev/sdb: Unknown USB bridge [0x0781:0x5581 (0x100)]"), 1);
    CHECK(stick.state == SmartState::unsupported);
    CHECK(stick.detail == "/dev/sdb: Unknown USB bridge [0x0781:0x5581 (0x100)]");
    CHECK(smart_report_from(unsupported_stick("Read Device Identity failed: scsi error unsupported field"), 2).state ==
          SmartState::unsupported);
    CHECK(smart_report_from(R"({"smartctl": {"exit_status": 0}, "smart_support": {"available": false}})", 0).state ==
          SmartState::unsupported);
    CHECK(smart_report_from(R"({"smartctl": {"exit_status": 2}})", 2).detail ==
          "the device did not answer ATA or NVMe commands");
}

TEST_CASE("a query that cannot be made is reported as failed") {
    const auto denied =
        smart_report_from(unsupported_stick("Smartctl open device: /dev/sdb failed: Permission denied"), 2);
    CHECK(denied.state == SmartState::failed);
    CHECK(denied.detail == "Smartctl open device: /dev/sdb failed: Permission denied");
    for (const char* bad : {"", "no json", "[1]", "7", "{\"cut\": "}) {
        CAPTURE(bad);
        CHECK(smart_report_from(bad, 0).state == SmartState::failed);
        CHECK(smart_report_from(bad, 0).detail == "smartctl did not answer in JSON: it may be older than 7.0");
    }
}

TEST_CASE("an answer without a health result is reported as such, and bit 3 of the exit status means failing") {
    const auto quiet = smart_report_from(R"({"smartctl": {"version": [7, 3]}, "model_name": "X"})", 4);
    CHECK(quiet.state == SmartState::no_verdict);
    CHECK(quiet.detail == "the device reported neither passed nor failing");
    CHECK(smart_report_from(R"({"smartctl": {"version": [7, 3]}})", 8).state == SmartState::failing);
}

TEST_CASE("each bit of the exit status has its meaning") {
    CHECK(smart_exit_meanings(0).empty());
    CHECK(smart_exit_meanings(0xFF).size() == 8);
    CHECK(smart_exit_meanings(4 | 64) ==
          Lines{"a command to the disk failed, or a checksum was wrong", "the error log has entries"});
}

TEST_CASE("members of the wrong type count as missing, and text is made printable") {
    const auto report = smart_report_from(R"({
        "smartctl": {"version": "7.3", "messages": {"string": "x"}}, "device": [], "model_name": 7,
        "serial_number": "\u001b[2J", "smart_status": {"passed": "yes"}, "temperature": {"current": "hot"},
        "power_on_time": 5, "power_cycle_count": -1,
        "ata_smart_attributes": {"table": [1, {"id": "5"}, {"id": 5, "raw": 9}]},
        "nvme_smart_health_information_log": {"media_errors": 1.5, "temperature": 1e9}})",
                                          0);
    SmartReport expected;
    expected.state = SmartState::no_verdict;
    expected.detail = "the device reported neither passed nor failing";
    expected.serial = "?[2J";
    CHECK(report == expected);
}

TEST_CASE("a SMART report survives a round trip, and the error for an invalid report names the member") {
    const SmartReport report = smart_report_from(nvme_behind_usb, 8);
    CHECK(smart_report_from_json(to_json(report)).value() == report);
    CHECK(smart_report_from_json(nlohmann::json{{"state", "tired"}}).error().detail ==
          "smart.state: \"tired\" is not one of passed, failing, no_verdict, unsupported, not_installed, failed");
}

TEST_CASE("disk commands are sent only to possible disks, and a bridge maker's commands only to that maker's bridges") {
    CHECK(smart_device_types(on(Transport::nvme)) == Lines{"auto"});
    CHECK(smart_device_types(on(Transport::sata)) == Lines{"auto"});
    CHECK(smart_device_types(on(Transport::mmc)).empty());
    CHECK(smart_device_types(on(Transport::image)).empty());
    CHECK(smart_device_types(on(Transport::loop)).empty());
    Medium medium = on(Transport::usb);
    medium.usb->vendor_id = "174c";
    CHECK(smart_device_types(medium) == Lines{"auto", "sat", "sntasmedia"});
    medium.usb->vendor_id = "152d";
    CHECK(smart_device_types(medium) == Lines{"auto", "sat", "sntjmicron"});
    medium.usb->vendor_id = "0bda";
    CHECK(smart_device_types(medium) == Lines{"auto", "sat", "sntrealtek"});
    medium.usb->vendor_id = "0781";
    CHECK(smart_device_types(medium) == Lines{"auto", "sat"});
    medium.removable = true;
    CHECK(smart_device_types(medium) == Lines{"auto"});
}
