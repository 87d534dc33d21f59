// SPDX-License-Identifier: GPL-3.0-or-later
/// Results of an inspection of a medium, as the controller and the agent use them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/units.hpp"
#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"
#include "host/media/format_options.hpp"

namespace mediarig::media {

using mediarig::name_of;

/// A range that could not be read.
struct UnreadRange {
    Bytes at;        ///< first byte that was not read
    Bytes length;    ///< requested length from `at`; parts of the range may be readable
    std::string why; ///< "cannot read at byte 4096: Input/output error"
    bool operator==(const UnreadRange&) const = default;
};

/// Position of a named value on the medium, and the unit of the value.
struct FieldLocation {
    std::string name;  ///< name of the parameter
    std::string field; ///< field name in the format's specification; empty for computed values
    std::string unit;  ///< unit of the parameter's value: "B", "sectors", "clusters", "blocks"; "" for texts and plain
                       ///< counts
    Bytes at;          ///< offset from the start of the medium
    Bytes length;      ///< 0 if the value was computed from several fields, or counted
    std::string hex;   ///< the bytes on the medium, at most 64: "00f0a1"
    bool operator==(const FieldLocation&) const = default;
};
using Places = std::vector<FieldLocation>;

/// Named values of a volume in display order. Values are in bytes unless the name has another unit.
using Parameters = std::vector<std::pair<std::string, std::string>>;

/// A signature of an earlier format that was not wiped.
struct StaleSignature {
    std::string what; ///< "backup GPT header", "alternate HFS+ volume header", "exFAT boot sector", …
    Bytes at;
    bool in_volume{}; ///< inside a volume in use; may be part of a file
    bool operator==(const StaleSignature&) const = default;
};

/// Certainty of the probable formatter of a volume.
BOOST_DEFINE_FIXED_ENUM_CLASS(
    FormatterConfidence, std::uint8_t,
    unknown,  ///< there is no evidence
    possible, ///< the traits are those of this formatter, but other formatters leave the same traits
    likely,   ///< the volume has two independent traits of this formatter
    stated    ///< the volume names its formatter
)

struct Fingerprint {
    std::string formatter; ///< "mkapfs", "exfatprogs before 1.2.8", "SD layout (SD formatter, camera, Android)", …
    FormatterConfidence sureness{};
    std::vector<std::string> signs; ///< evidence, a few words each
    std::string also_on{};          ///< other volumes with these signs; empty: none are known
    bool operator==(const Fingerprint&) const = default;
};

/// "exfatprogs before 1.2.8 (possible: the OEM parameters are filled with FF; also other volumes …)"
[[nodiscard]] std::string text_of(const Fingerprint& by);

/// Places in clusters that the file system marks as free. A place contains data if its bytes are not all equal: erased
/// flash and discarded ranges read as one constant byte.
struct FreeSpaceSample {
    std::uint32_t sampled{};    ///< places that were read, spread evenly over the free clusters
    std::uint32_t with_data{};  ///< places among them that contain data
    std::uint32_t unreadable{}; ///< places that could not be read; not in `sampled`
    Bytes first;                ///< offset of the first place with data on the medium; 0 without one
    bool operator==(const FreeSpaceSample&) const = default;
};

/// A volume on a medium, with the values read from it.
struct InspectedVolume {
    Bytes start, length;
    /// "exfat", "apfs", "hfs+", "hfs+j", "hfsx", "hfsx+j", "fat32", …; "" if unknown. The types of signature.hpp are
    /// recognised but not parsed.
    std::string file_system;
    std::string label;
    std::vector<std::pair<std::string, std::string>> parameters; ///< parameters of the partition, then of the file
                                                                 ///< system
    std::string problem; ///< empty, or a description of data that could not be parsed, with its offset
    Places places;       ///< one position for each parameter
    Bytes usable;        ///< free for files; 0 if unknown
    Fingerprint fingerprint;
    std::optional<FreeSpaceSample> free_space; ///< FAT and exFAT; unset if the allocation could not be read
    bool operator==(const InspectedVolume&) const = default;
};
struct InspectReport {
    Bytes size;
    std::string scheme; ///< "none", "mbr", "gpt", "apm"
    std::vector<InspectedVolume> volumes;
    std::uint32_t sector_size{512};
    std::vector<std::pair<std::string, std::string>> parameters; ///< parameters of the partition table
    Places places;                                               ///< one position for each parameter
    std::string problem;                                         ///< problem of the partition table
    bool blank{false}; ///< no known structure anywhere, and both ends contain only zeros or only FF
    std::vector<StaleSignature> stale_signatures;
    Bytes read;                      ///< total number of bytes read from the medium
    std::vector<UnreadRange> unread; ///< ranges that could not be read; no reported value depends on them
    bool operator==(const InspectReport&) const = default;
};

/// Value of a parameter; empty if no parameter has this name.
[[nodiscard]] std::optional<std::string> parameter(const InspectedVolume& volume, std::string_view name);

[[nodiscard]] nlohmann::json to_json(const InspectReport& report);
/// Accepts older reports, in which some members are missing.
[[nodiscard]] Result<InspectReport> inspect_report_from_json(const nlohmann::json& json);
// See host/media/format_options.hpp.
void read_form(const nlohmann::json& from, const codec::Path& at, InspectReport& report, codec::DecodeError& fault);
void check_form(const InspectReport& report, const codec::Path& at, codec::DecodeError& fault);

/// Limit of the text about the problems of a structure, in bytes, so that a medium of random data gives a record of
/// limited size.
inline constexpr std::size_t longest_problem = 2000;

/// Appends `found` unless it is empty or already contained.
inline void add_problem(std::string& problem, std::string_view found) {
    constexpr std::string_view more = "; and more";
    if (found.empty() || problem.ends_with(more)) return;
    if (problem.size() > longest_problem) {
        problem += more;
        return;
    }
    constexpr std::string_view next = "; ";
    const auto as_part = [next](std::string_view text) { return std::string(next).append(text).append(next); };
    if (as_part(problem).find(as_part(found)) != std::string::npos) return;
    if (!problem.empty()) problem += next;
    problem += found;
}

} // namespace mediarig::media
