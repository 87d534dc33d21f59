// SPDX-License-Identifier: GPL-3.0-or-later
/// What a medium did not give.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/format_options.hpp"

namespace mediarig::media {

struct Unread {
    Bytes at;        ///< the first byte that was not got
    Bytes length;    ///< what was asked for from there on; how much of it could be read by itself was not tried
    std::string why; ///< "cannot read at byte 4096: Input/output error"
    bool operator==(const Unread&) const = default;
};

/// Where on the medium the bytes of a named value stand, and in which unit the value is told.
struct Place {
    std::string name;  ///< of the parameter
    std::string field; ///< as the format's specification calls it; empty for what is computed
    std::string unit; ///< of the parameter's value: "B", "sectors", "clusters", "blocks"; "" for texts and plain counts
    Bytes at;         ///< from the start of the medium
    Bytes length;     ///< 0: computed from several places, or counted
    std::string hex;  ///< the bytes as they stand there, the first 64 of them: "00f0a1"
    bool operator==(const Place&) const = default;
};
using Places = std::vector<Place>;

/// Named values of a volume, in the order in which people read them. Bytes unless the name says otherwise.
using Parameters = std::vector<std::pair<std::string, std::string>>;

/// A signature of a former format that nobody wiped.
struct StaleSignature {
    std::string what; ///< "backup GPT header", "alternate HFS+ volume header", "exFAT boot sector", …
    Bytes at;
    bool in_volume{}; ///< within a volume that is in use: may as well be somebody's data
    bool operator==(const StaleSignature&) const = default;
};

/// What is thought of who formatted a volume, and how sure that is.
enum class Sureness : std::uint8_t {
    unknown,  ///< nothing tells
    possible, ///< fits, as others would
    likely,   ///< a habit of this formatter that no other is known to have
    stated    ///< the volume says so itself
};
[[nodiscard]] std::string_view name_of(Sureness sureness);
[[nodiscard]] Result<Sureness> sureness_from(std::string_view name);

struct Fingerprint {
    std::string formatter; ///< "mkapfs", "exfatprogs before 1.2.8", "SD layout (SD formatter, camera, Android)", …
    Sureness sureness{};
    std::vector<std::string> signs; ///< what was seen, a few words each
    bool operator==(const Fingerprint&) const = default;
};

/// What an inspection found: values, shared by both halves.
struct InspectedVolume {
    Bytes start, length;
    /// "exfat", "apfs", "hfs+", "hfs+j", "hfsx", "hfsx+j", "fat32", …; "" where none is known. Those of signature.hpp
    /// are named and not taken to pieces.
    std::string file_system;
    std::string label;
    std::vector<std::pair<std::string, std::string>> parameters; ///< of the partition, then of the file system
    std::string problem;                                         ///< empty, or what did not parse, with its offset
    Places places;                                               ///< one for each parameter
    Bytes usable;                                                ///< free for files; 0 where it is not known
    Fingerprint fingerprint;
    bool operator==(const InspectedVolume&) const = default;
};
struct InspectReport {
    Bytes size;
    std::string scheme; ///< "none", "mbr", "gpt"
    std::vector<InspectedVolume> volumes;
    std::uint32_t sector_size{512};
    std::vector<std::pair<std::string, std::string>> parameters; ///< of the partition table
    Places places;                                               ///< one for each of them
    std::string problem;                                         ///< of the partition table
    bool blank{false}; ///< nothing is known to begin anywhere, and both ends hold nothing but zeros or FF
    std::vector<StaleSignature> stale_signatures;
    Bytes read;                 ///< from the medium, to find all this out
    std::vector<Unread> unread; ///< what the medium did not give; nothing that is reported rests on it
    bool operator==(const InspectReport&) const = default;
};

/// The value of a parameter; nothing where there is none of that name.
[[nodiscard]] std::optional<std::string> parameter(const InspectedVolume& volume, std::string_view name);

[[nodiscard]] nlohmann::json to_json(const InspectReport& report);
/// Members that older reports do not have may be missing.
[[nodiscard]] Result<InspectReport> inspect_report_from_json(const nlohmann::json& json);
// As in host/media/format_options.hpp.
void read_form(const nlohmann::json& from, const codec::Path& at, InspectReport& report, codec::Fault& fault);
void check_form(const InspectReport& report, const codec::Path& at, codec::Fault& fault);

/// What is wrong with a structure: one sentence after the other, in the order in which they were met.

/// Enough for a person; a medium of noise must not fill the record.
inline constexpr std::size_t longest_problem = 2000;

/// Appends `found`, where it says anything that is not said there already.
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
