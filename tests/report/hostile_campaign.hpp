// SPDX-License-Identifier: GPL-3.0-or-later
/// The sample campaign with every text from users or media replaced by an attack on the page.
#pragma once

#include <string>

#include "host/store/record.hpp"

namespace mediarig::tests {

/// Ends a script, opens an element that runs code, ends an attribute, a comment and a template.
inline constexpr const char* hostile_text = "</script><img src=x onerror=\"window.taken=1\">'-->${1}<!--<script>";

[[nodiscard]] store::CampaignView hostile_campaign(const std::string& text = hostile_text);

} // namespace mediarig::tests
