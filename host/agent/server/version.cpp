// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/server/version.hpp"

namespace mediarig::agent {

const char* const agent_version = MEDIARIG_VERSION;

} // namespace mediarig::agent
