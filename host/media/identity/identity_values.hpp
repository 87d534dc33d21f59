// SPDX-License-Identifier: GPL-3.0-or-later
/// Identity that a medium's electronics report, one value for each query method. Part of media::Medium.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "host/base/enum_names.hpp"

namespace mediarig::media {

using mediarig::name_of;

struct UsbIdentity {
    std::string vendor_id, product_id; ///< four hex digits, lower case
    std::string release;               ///< bcdDevice, "1.00"
    std::string manufacturer, product, serial;
    double speed_mbit{};   ///< negotiated speed: 1.5, 12, 480, 5000, 10000, 20000
    std::string driver;    ///< "usb-storage" (BOT) or "uas"
    std::string port_path; ///< "1-2.3": port path through the hubs
    std::uint32_t max_power_ma{};
    std::string version{};            ///< bcdUSB as negotiated, "2.10", "3.20"; empty if the kernel does not report it
    std::string device_class{};       ///< class, subclass and protocol of the device, "00/00/00"
    std::string interface_class{};    ///< class of the active interface, "08/06/50"
    std::string configuration_name{}; ///< reported by the device; usually empty
    std::uint32_t configuration{}, configurations{}; ///< number of the active configuration, from 1; count of
                                                     ///< configurations
    std::uint32_t rx_lanes{}, tx_lanes{};            ///< 0 if the kernel does not report the number
    std::uint32_t bus{}, address{};
    std::string wiring{};            ///< wiring of the port: "removable", "fixed", "unknown"
    bool offers_bot{}, offers_uas{}; ///< protocols in the descriptors, active or not
    double capable_mbit{};           ///< highest speed in the descriptors; 0 if they have none
    bool operator==(const UsbIdentity&) const = default;
};

/// Standard inquiry data. Source: T10, SPC-4, section 6.6.2.
struct ScsiInquiry {
    std::uint8_t peripheral_type{}; ///< 0: direct-access block device
    bool removable{};               ///< RMB
    std::uint8_t version{};         ///< code of the claimed SPC version; 0: no version is claimed
    bool operator==(const ScsiInquiry&) const = default;
};
/// One name of page 0x83. Source: SPC-4, section 7.8.6.
struct ScsiDesignator {
    std::string association; ///< "unit", "port", "target", "reserved"
    std::string type;        ///< "t10", "eui64", "naa", "name", …
    std::string value;       ///< "naa.5000…", "t10.…"; hexadecimal if the type has no text
    bool operator==(const ScsiDesignator&) const = default;
};
/// Page 0xB0, in logical blocks; 0: "not reported". Source: T10, SBC-3, section 6.5.3.
struct ScsiBlockLimits {
    std::uint32_t max_transfer{}, optimal_transfer{}, optimal_granularity{};
    std::uint32_t max_unmap{}, max_unmap_descriptors{}, unmap_granularity{};
    std::optional<std::uint32_t> unmap_alignment; ///< set if UGAVALID is set
    std::uint64_t max_write_same{};
    bool operator==(const ScsiBlockLimits&) const = default;
};
/// Page 0xB1. Source: SBC-3, section 6.5.2.
struct ScsiCharacteristics {
    std::uint32_t rotation_rate{}; ///< revolutions per minute; 1: "not rotating", 0: "not reported"
    std::uint8_t form_factor{};    ///< code; 0: "not reported"
    bool operator==(const ScsiCharacteristics&) const = default;
};
/// Page 0xB2. Source: SBC-3, section 6.5.4.
struct ScsiProvisioning {
    bool unmap{}, write_same{}, write_same_10{}; ///< LBPU, LBPWS, LBPWS10
    std::uint8_t zeroes_after{};                 ///< LBPRZ: 0: the contents after an unmap are undefined
    std::uint8_t type{};                         ///< 0 = not reported or fully provisioned, 1 = resource, 2 = thin
    bool operator==(const ScsiProvisioning&) const = default;
};

struct ScsiIdentity {
    std::string vendor, model, revision;
    std::string unit_serial; ///< VPD page 0x80; empty if the device has no serial
    std::string designator;  ///< VPD page 0x83, the most specific name ("naa.5000…"); empty if there is no name
    std::optional<ScsiInquiry> inquiry{};
    std::vector<std::uint32_t> pages{}; ///< VPD page 0x00: supported pages
    std::vector<ScsiDesignator> designators{};
    std::optional<ScsiBlockLimits> limits{};
    std::optional<ScsiCharacteristics> characteristics{};
    std::optional<ScsiProvisioning> provisioning{};
    bool operator==(const ScsiIdentity&) const = default;
};

/// Raw registers as reported by the kernel (hex), and decoded values; identity/sd_fields.hpp has every field. Never
/// available through a USB reader.
struct SdIdentity {
    std::string cid, csd, scr, ssr;
    std::uint8_t manufacturer_id{};
    std::string oem_id, product_name, revision;
    std::uint32_t serial{};
    std::uint16_t year{};
    std::uint8_t month{};
    std::optional<Bytes> csd_capacity;
    std::optional<Bytes> allocation_unit; ///< SSR AU_SIZE
    std::optional<std::uint8_t> speed_class, uhs_grade, video_class, app_class;
    std::string spec_version; ///< from SCR, "6.xx"
    std::string ocr{};        ///< register OCR, "0x…"; empty if it was not read: the kernel does not report it
    std::string host_ocr{}; ///< the kernel's attribute "ocr", "0x…": the voltages that the host selected, not the OCR
    std::string dsr{}, rca{};     ///< attributes of the kernel, "0x…"; empty if not reported
    std::string fwrev{}, hwrev{}; ///< fields of the register PRV, as reported by the kernel
    std::optional<Bytes> erase_size{}, preferred_erase_size{}; ///< as used by the kernel
    /// Supply current in a rig's register reader: idle, and the maximum during identification.
    std::optional<std::uint32_t> supply_rest_ua{}, supply_most_ua{};
    /// Bus settings of this machine's slot, if the kernel reports them (debugfs); otherwise empty and 0.
    std::string bus_timing{}; ///< "sd uhs SDR104", "sd high-speed", "legacy"
    std::uint64_t bus_clock_hz{};
    std::uint32_t bus_width{}; ///< data lines
    bool operator==(const SdIdentity&) const = default;
};

struct NvmeIdentity {
    std::string model, serial, firmware;
    std::string pcie_link; ///< "8.0 GT/s PCIe x4"; empty if unknown
    bool operator==(const NvmeIdentity&) const = default;
};

/// Figures of the card model of an emulated medium in virtual time: a large contiguous request takes its data at the
/// rate, and the time per request. A rate of 0: no limit.
struct ModelFigures {
    double read_bytes_per_second{}, write_bytes_per_second{};
    std::uint64_t read_request_ns{}, write_request_ns{};
    bool operator==(const ModelFigures&) const = default;
};

/// Limits of the kernel's block layer, from /sys/block/…/queue. 0 means "not reported" or "no limit".
struct QueueLimits {
    Bytes minimum_io, optimal_io;
    Bytes discard_granularity, discard_max; ///< both 0 if the device does not support discard
    Bytes max_transfer;                     ///< size of the largest single request
    Bytes alignment_offset;                 ///< offset of the first complete physical sector
    std::string write_cache{};              ///< "write back" or "write through", according to the kernel
    bool operator==(const QueueLimits&) const = default;
};

BOOST_DEFINE_FIXED_ENUM_CLASS(
    SmartState, std::uint8_t,
    passed,        ///< the device reports that it is healthy
    failing,       ///< the device reports a failure
    no_verdict,    ///< the device answered but reported neither passed nor failing
    unsupported,   ///< the device has no SMART, or the bridge hides it: usual for sticks and card readers
    not_installed, ///< smartctl is not installed
    failed         ///< the query failed; `detail` gives the reason
)

/// Result of smartctl for the disk in a bridge. Values that the device does not report stay empty.
struct SmartReport {
    SmartState state{SmartState::failed};
    std::string detail;      ///< one line: reason for a missing verdict; otherwise empty
    std::string tool;        ///< "smartctl 7.3"
    std::string device_type; ///< device type of the query: "sat", "nvme", "sntasmedia", …
    std::uint32_t exit_status{};
    std::vector<std::string> exit_meanings; ///< one text for each set bit of the exit status
    std::string model, serial, firmware;    ///< identity of the disk in the bridge
    std::optional<double> temperature_c;
    std::optional<std::uint64_t> power_on_hours, power_cycles;
    std::optional<std::uint64_t> reallocated_sectors, pending_sectors; ///< ATA attributes 5 and 197, raw
    std::optional<std::uint64_t> media_errors, critical_warning;       ///< NVMe
    std::optional<std::uint64_t> percentage_used; ///< of the rated life; may exceed 100. NVMe; ATA from smartctl 7.4 on
    std::optional<Bytes> written;                 ///< by the host during the whole life
    bool operator==(const SmartReport&) const = default;
};

BOOST_DEFINE_FIXED_ENUM_CLASS(HealthState, std::uint8_t,
                              reported,    ///< the values are those of a stable page of a known layout
                              rejected,    ///< the card answered, but not with health data; `detail` gives the reason
                              unsupported, ///< the card does not answer: usual for cards that are not industrial ones
                              failed       ///< no request could be sent; `detail` gives the reason
)

/// Health of an SD card (CMD56) or an eMMC (EXT_CSD), read through the machine's own slot. Values that the layout lacks
/// stay empty. See identity/health/card_pages.hpp for the layouts.
struct CardHealth {
    HealthState state{HealthState::failed};
    std::string detail;  ///< one line: reason for missing values; otherwise empty
    std::string layout;  ///< "SanDisk", "Longsys", "Transcend", "ADATA", "Micron", "Swissbit", "Phison", "eMMC"
    std::string command; ///< "CMD56 0x00000001"
    std::optional<double> life_used; ///< percent of the rated life; may exceed 100. eMMC: the lower end of its range
    std::optional<std::uint64_t> spare_blocks, factory_bad_blocks, later_bad_blocks;
    std::optional<std::uint64_t> erase_least, erase_most, erase_total; ///< erases of a block; total of all blocks
    std::optional<double> erase_mean;                                  ///< erases of a block
    std::optional<std::uint64_t> rated_erases;
    std::optional<std::uint64_t> power_ups, power_losses;
    std::optional<Bytes> written; ///< by the host during the whole life
    std::string flash_id;         ///< hexadecimal
    std::string controller, firmware, product;
    std::string made;                                      ///< "2020-07-10"
    std::string features;                                  ///< revision and generation of the layout, "1f, 6"
    std::optional<std::uint64_t> life_code_a, life_code_b; ///< eMMC: see ExtCsdHealth
    std::optional<std::uint64_t> pre_eol;                  ///< eMMC
    bool operator==(const CardHealth&) const = default;
};

} // namespace mediarig::media
