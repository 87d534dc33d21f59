// SPDX-License-Identifier: GPL-3.0-or-later
/// For records that hold those of this folder; see host/json/codec.hpp.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/media/format_spec.hpp"
#include "host/media/medium.hpp"

namespace mediarig::codec {
struct Path;
class Fault;
} // namespace mediarig::codec

namespace mediarig::media {

/// More entries than anything of ours ever has are somebody's mischief.
inline constexpr std::size_t longest_list = 4096;

void read_form(const nlohmann::json& from, const codec::Path& at, Medium& medium, codec::Fault& fault);
void read_form(const nlohmann::json& from, const codec::Path& at, SmartReport& report, codec::Fault& fault);
void read_form(const nlohmann::json& from, const codec::Path& at, FormatSpec& spec, codec::Fault& fault);
void read_form(const nlohmann::json& from, const codec::Path& at, FormatReport& report, codec::Fault& fault);
void read_form(const nlohmann::json& from, const codec::Path& at, CheckReport& report, codec::Fault& fault);
/// Whether each could be read back, without making JSON of it.
void check_form(const Medium& medium, const codec::Path& at, codec::Fault& fault);
void check_form(const FormatReport& report, const codec::Path& at, codec::Fault& fault);
void check_form(const CheckReport& report, const codec::Path& at, codec::Fault& fault);

} // namespace mediarig::media
