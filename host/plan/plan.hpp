// SPDX-License-Identifier: GPL-3.0-or-later
/// The user's plan after all checks (parse_plan.hpp). Pure. The published schema is docs/schemas/plan.schema.json.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"
#include "host/measure/verdict.hpp"
#include "host/media/format/profiles.hpp"
#include "host/media/format_options.hpp"
#include "host/media/identity/medium.hpp"
#include "host/media/slot_kind.hpp"
#include "host/workload/suites/suite.hpp"

namespace mediarig::plan {

using mediarig::name_of;

/// Exactly one of path, image, directory and slot is set.
struct MediumRef {
    std::string name;      ///< unique in the plan; defaults to the last part of the target
    std::string path;      ///< a block device
    std::string image;     ///< an image file
    std::string directory; ///< a directory that is measured unchanged: no claim, no format
    std::optional<SlotId> slot;
    std::string confirm; ///< serial, or the path if there is no serial; required for anything destructive
    std::string lot, label;
    std::optional<std::uint32_t>
        partition; ///< for "keep": partition number, 1 to 1024; unset: first mountable partition
    /// Permits erasing the medium although its signatures cannot be read: see media::Contents.
    bool contents_unknown{};
    /// Permits erasing the medium although its use by other programs cannot be determined: see media::Use.
    bool use_unknown{};
    bool operator==(const MediumRef&) const = default;
    [[nodiscard]] const std::string& target() const; ///< path, image or directory; empty for a slot
};

/// True if the path contains "..": for example, "/dev/../etc/passwd" starts with /dev/ but is not a device.
[[nodiscard]] bool leads_upwards(std::string_view path);

/// The place where a suite works.
BOOST_DEFINE_FIXED_ENUM_CLASS(SuiteTarget, std::uint8_t, file_system, raw)

struct SuiteEntry {
    suites::SuiteRequest request;
    SuiteTarget where{SuiteTarget::file_system};
    bool replug{}; ///< the medium loses its power between writing and reading; only for verify on a bare device
    bool operator==(const SuiteEntry&) const = default;
};

struct FormatEntry {
    /// "keep" in a plan: the existing volume is mounted and measured without formatting. `spec` is then ignored.
    bool keep{false};
    /// If set, the profile's format for the medium's capacity is made. Members of `spec` override it, except `spec.fs`,
    /// which is ignored.
    std::optional<media::FormatProfile> profile;
    std::optional<media::FileSystem> wanted; ///< for a profile; unset: the profile's choice
    media::FormatSpec spec;
    std::string name; ///< name in reports, limits and steps; empty: the file system or the profile
    /// Unset: the plan's suites apply. Empty: the medium is only formatted and checked.
    std::optional<std::vector<SuiteEntry>> suites;
    bool operator==(const FormatEntry&) const = default;
};

/// Returns the format for a medium. If a profile's exFAT must start at an unaligned position and the plan sets no
/// boundary, the boundary becomes one sector: otherwise the formatter would compensate for the start. Fails with
/// bad_request if the profile has no such format for the medium.
[[nodiscard]] Result<media::FormatSpec> spec_for(const FormatEntry& format, Bytes medium, std::uint32_t sector);

/// The order of the formats of one medium.
BOOST_DEFINE_FIXED_ENUM_CLASS(
    OrderKind, std::uint8_t, listed, reversed,
    random,         ///< each repeat has an independent random order; a comparison always uses it
    random_pairs,   ///< repeats come in pairs: a random order and its mirror image
    counterbalanced ///< also pairs of mirror images; over a full cycle each format has each position equally often
)
struct Order {
    OrderKind kind{OrderKind::listed};
    std::uint64_t seed{1}; ///< for random and random_pairs; for counterbalanced: the assignment of formats in the cycle
    bool operator==(const Order&) const = default;
};

/// One emulated medium, which `slot` of a plan's media refers to.
struct EmulatedMedium {
    SlotId slot;
    SlotKind kind{SlotKind::usb}; ///< requests its transport; optional in a plan
    std::string card;             ///< a name in the catalogue, or the absolute path of a card model's JSON file
    std::optional<Bytes> size;    ///< claimed size; unset: that of the card model
    std::uint64_t seed{1};        ///< start value of all random values of the model
    bool operator==(const EmulatedMedium&) const = default;
};

/// Machine of the lab.
BOOST_DEFINE_FIXED_ENUM_CLASS(LabMachine, std::uint8_t,
                              qemu,        ///< USB and SD transport, in real time
                              virtual_time ///< no transport; figures do not depend on this computer
)
[[nodiscard]] constexpr auto other_names(LabMachine** /*type*/) {
    return std::array{Name<LabMachine>{LabMachine::virtual_time, "virtual"}};
}

/// All slots of a rig: placeholder for the `slots` of a plan until the rig is known.
struct AllSlots {
    std::string lot, label; ///< lot and label of every medium
    bool operator==(const AllSlots&) const = default;
};

/// The default suites of a comparison transfer less than this amount in one pass.
inline constexpr Bytes default_compare_fill = 1_GiB;

/// A comparison of formats that is decided during the measurement (docs/guide/comparison.md). A repeat is called a
/// block; `repeats` is the budget. All members are fixed before the first pass.
struct Compare {
    /// Descriptions such as "cluster size 4 KiB", one for each format after the first; the first format is the
    /// baseline. Empty: each format is compared with every other format.
    std::vector<std::string> deviations;
    double margin_percent{5};                ///< margin in the verdict "the same within … %"
    std::vector<workload::Access> headlines; ///< compared operations, one number each: the family of tests
    bool endless{};                          ///< no budget: until the decision; `repeats` is a technical maximum
    bool discard{true};               ///< discard the whole medium before each pass, if the medium supports discard
    Bytes fill{default_compare_fill}; ///< amount written from byte 0 before each pass if there is no discard
    /// Idle time before each pass, after its discard: at least `rest`, until the medium's temperature or rate is as
    /// before the first pass, and at most `longest_rest`.
    std::chrono::seconds rest{}, longest_rest{};
    bool self_test{};                             ///< both formats are identical
    std::vector<std::vector<std::size_t>> orders; ///< indexes into the plan's formats, per block
    bool operator==(const Compare&) const = default;
};
/// Maximum number of blocks; a comparison without a budget stops there.
inline constexpr std::uint32_t most_compare_blocks = 1000;
/// Default suites for a comparison: sequential transfers of 1 MiB, random ones of 4 and 64 KiB.
[[nodiscard]] std::vector<SuiteEntry> compare_suites(bool quick);
/// Returns the distinct operations that the suites measure in files, in the order of their first cells.
[[nodiscard]] std::vector<workload::Access> accesses_of(const std::vector<SuiteEntry>& suites);

inline constexpr std::uint32_t most_lanes = 64;

BOOST_DEFINE_FIXED_ENUM_CLASS(OnFailure, std::uint8_t, next_step, next_medium, stop)

struct Plan {
    std::string name;
    std::vector<MediumRef> media;
    std::vector<FormatEntry> formats;
    std::vector<SuiteEntry> suites;
    std::uint32_t repeats{1};
    Order order;
    std::vector<measure::Limit> limits;
    std::optional<std::chrono::seconds>
        time_budget; ///< budget of the whole campaign: no new pass starts after this time
    OnFailure on_failure{OnFailure::next_medium};
    std::optional<std::uint32_t> lanes; ///< media that are tested in parallel; unset: as the slots permit
    std::optional<AllSlots> all_slots;  ///< if set, `media` is empty; see with_slots()
    std::optional<Compare> compare;     ///< if set, the order is random
    /// Total rate of all media at the USB controller of the lab, in bytes per second.
    std::optional<Bytes> lab_uplink{};
    LabMachine lab_machine{LabMachine::qemu};
    std::vector<EmulatedMedium>
        lab; ///< not empty: the campaign runs in the virtual lab, and slots are those of the lab
    bool operator==(const Plan&) const = default;
};

/// True if any part of the plan destroys data on its media. Then each medium needs a `confirm`.
[[nodiscard]] bool destroys(const Plan& plan);
/// True if the plan must contain a `confirm` for this medium and has none. Selecting a slot of the rig already permits
/// erasing, and a directory is never erased.
[[nodiscard]] bool lacks_confirmation(const Plan& plan, const MediumRef& medium);
/// Contents for the claim of a medium. A plan that destroys nothing may have unknown contents next to its file system.
[[nodiscard]] media::Contents claimed_contents(const Plan& plan, const MediumRef& medium);

/// Returns the plan. If `all_slots` is set, the result has the media "slot-1" to "slot-COUNT" instead.
[[nodiscard]] Plan with_slots(Plan plan, std::uint8_t count);

[[nodiscard]] nlohmann::json to_json(const FormatEntry& format); ///< as in a plan's "formats"
[[nodiscard]] nlohmann::json to_json(const Plan& plan);          ///< parse_plan(kept_text(p)) == p
/// The stored form in a campaign: to_json() in one line.
[[nodiscard]] std::string kept_text(const Plan& plan);

} // namespace mediarig::plan
