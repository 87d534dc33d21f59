// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace mediarig::agent {

/// Of this program, "0.1.0"; comes from the build.
extern const char* const agent_version;

} // namespace mediarig::agent
