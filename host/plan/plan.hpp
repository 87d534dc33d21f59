// SPDX-License-Identifier: GPL-3.0-or-later
/// What to do, as the user wrote it, checked. Pure. The published schema is docs/schemas/plan.schema.json.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/measure/verdict.hpp"
#include "host/media/format/profiles.hpp"
#include "host/media/format_options.hpp"
#include "host/media/slot_kind.hpp"
#include "host/workload/suites/suite.hpp"

namespace mediarig::plan {

/// Exactly one of path, image, directory and slot is set.
struct MediumRef {
    std::string name;      ///< unique in the plan; defaults to the last part of the target
    std::string path;      ///< a block device
    std::string image;     ///< an image file
    std::string directory; ///< a directory that is measured as it is: no claim, no format
    std::optional<SlotId> slot;
    std::string confirm; ///< serial, or the path where there is none; needed for anything destructive
    std::string lot, label;
    std::optional<std::uint32_t> partition; ///< which one "keep" measures, 1 to 1024; unset: the first it can mount
    /// Permits erasing it although its signatures cannot be read: see media::Contents.
    bool contents_unknown{};
    /// Permits it although it cannot be determined whether other programs use it: see media::Use.
    bool use_unknown{};
    bool operator==(const MediumRef&) const = default;
    [[nodiscard]] const std::string& target() const; ///< path, image or directory; empty for a slot
};

/// Whether the path has a ".." in it: "/dev/../etc/passwd" begins with /dev/ and is no device.
[[nodiscard]] bool leads_upwards(std::string_view path);

/// Where a suite works.
enum class Where : std::uint8_t { file_system, raw };

struct SuiteEntry {
    suites::SuiteRequest request;
    Where where{Where::file_system};
    bool operator==(const SuiteEntry&) const = default;
};

struct FormatEntry {
    /// "keep" in a plan: nothing is formatted; what is on the medium is mounted and measured. `spec` means nothing
    /// then.
    bool keep{false};
    /// Set: what the profile makes of the medium's capacity, with what `spec` sets laid over it; `spec.fs` means
    /// nothing then.
    std::optional<media::FormatProfile> profile;
    std::optional<media::FileSystem> wanted; ///< of a profile; unset: the one that it takes
    media::FormatSpec spec;
    std::string name; ///< what reports, limits and steps call it; empty: the file system or the profile
    /// Unset: the plan's suites. Empty: format and check only.
    std::optional<std::vector<SuiteEntry>> suites;
    bool operator==(const FormatEntry&) const = default;
};

/// What is to be made of a medium. A profile's exFAT that is to begin off its boundary, with none of the plan's own,
/// gets a boundary of one sector: its formatter would make up for the start. Fails with bad_request where its profile
/// has no such format there.
[[nodiscard]] Result<media::FormatSpec> spec_for(const FormatEntry& format, Bytes medium, std::uint32_t sector);

/// In which order the formats of one medium take their turns.
enum class OrderKind : std::uint8_t {
    listed,
    reversed,
    random_pairs,   ///< repeats come in pairs, each pair a random order and its mirror image
    counterbalanced ///< pairs of mirror images as well, and over a full cycle each format at each place equally often
};
struct Order {
    OrderKind kind{OrderKind::listed};
    std::uint64_t seed{1}; ///< of random_pairs; of counterbalanced: which format is which in the cycle
    bool operator==(const Order&) const = default;
};

/// One emulated medium: what `slot` of a plan's media then names.
struct LabMedium {
    SlotId slot;
    SlotKind kind{SlotKind::usb};
    std::string card;          ///< a name of the catalogue, or the absolute path of a card model's JSON file
    std::optional<Bytes> size; ///< as the medium claims it; unset: the card model's own
    std::uint64_t seed{1};     ///< of everything random in the model
    bool operator==(const LabMedium&) const = default;
};

/// All slots that a rig has: what stands in a plan's `slots` until the rig is known.
struct AllSlots {
    std::string lot, label; ///< of every medium
    bool operator==(const AllSlots&) const = default;
};

/// More than the suites that a comparison measures by themselves move in one pass.
inline constexpr Bytes default_compare_fill = 1_GiB;

/// A comparison of formats, decided during measurement (docs/guide/comparison.md). A repeat is a block, `repeats` the
/// budget. All members are fixed before the first pass.
struct Compare {
    /// In words, one for each format behind the first, which is their baseline: "cluster size 4 KiB". Empty: each
    /// format is compared with each other one.
    std::vector<std::string> deviations;
    double margin_percent{5};                ///< of "the same within"
    std::vector<workload::Access> headlines; ///< one number for each operation: the family
    bool endless{};                          ///< no budget: `repeats` is only where it stops
    bool discard{true};                      ///< all of the medium before each pass, where it takes one
    Bytes fill{default_compare_fill}; ///< written from byte 0 on before each pass where it takes none; 0: nothing
    /// Before each pass, behind its discard: left alone for at least so long, and until the medium's temperature or
    /// rate is where it was before the first pass, at most `longest_rest`.
    std::chrono::seconds rest{}, longest_rest{};
    bool self_test{};                             ///< both formats are the same one
    std::vector<std::vector<std::size_t>> orders; ///< indexes into the plan's formats, for each block
    bool operator==(const Compare&) const = default;
};
/// The most that a comparison has; one without a budget stops there.
inline constexpr std::uint32_t most_compare_blocks = 1000;
/// What formats are compared by where a plan names no suites: sequential transfers of 1 MiB, random ones of 4 and 64
/// KiB.
[[nodiscard]] std::vector<SuiteEntry> compare_suites(bool quick);
/// The operations that the suites measure in files, without repetition, in the order of their first cells.
[[nodiscard]] std::vector<workload::Access> accesses_of(const std::vector<SuiteEntry>& suites);

inline constexpr std::uint32_t most_lanes = 64;

enum class OnFailure : std::uint8_t { next_step, next_medium, stop };

struct Plan {
    std::string name;
    std::vector<MediumRef> media;
    std::vector<FormatEntry> formats;
    std::vector<SuiteEntry> suites;
    std::uint32_t repeats{1};
    Order order;
    std::vector<measure::Limit> limits;
    std::optional<std::chrono::seconds> time_budget; ///< for the whole campaign; no new pass starts after it
    OnFailure on_failure{OnFailure::next_medium};
    std::optional<std::uint32_t> lanes; ///< media that are tested side by side; unset: as the slots allow
    std::optional<AllSlots> all_slots;  ///< then `media` is empty; see with_slots()
    std::optional<Compare> compare;     ///< then the order is random_pairs
    /// Of the lab: what all media at its USB controller carry together, in bytes a second.
    std::optional<Bytes> lab_uplink{};
    std::vector<LabMedium> lab; ///< not empty: the campaign runs in the virtual lab, and slots are the lab's
    bool operator==(const Plan&) const = default;
};

/// Whether anything in the plan destroys what is on its media. If so, each medium needs a `confirm`.
[[nodiscard]] bool destroys(const Plan& plan);

/// The plan with `all_slots`, if it has any, written out as media "slot-1" to "slot-COUNT".
[[nodiscard]] Plan with_slots(Plan plan, std::uint8_t count);

/// Every fault found, each "PATH: reason", PATH as a JSON pointer ("/media/0/path"). Unknown members are faults: a
/// mistyped limit must not silently not apply.
struct PlanFaults {
    std::vector<std::string> lines;
};
[[nodiscard]] tl::expected<Plan, PlanFaults> parse_plan(std::string_view text);
/// The same of a plan that is looked at, not run: a medium whose data a run would destroy needs no `confirm`; one that
/// is there is checked.
[[nodiscard]] tl::expected<Plan, PlanFaults> parse_plan_to_look(std::string_view text);
[[nodiscard]] nlohmann::json to_json(const FormatEntry& format); ///< as in a plan's "formats"
[[nodiscard]] nlohmann::json to_json(const Plan& plan);          ///< parse_plan(kept_text(p)) == p
/// As it is kept with a campaign: to_json() in one line.
[[nodiscard]] std::string kept_text(const Plan& plan);

} // namespace mediarig::plan
