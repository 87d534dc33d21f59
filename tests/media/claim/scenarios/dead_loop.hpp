// SPDX-License-Identifier: GPL-3.0-or-later
/// A loop device of another user on a file of a FUSE server that has died.
#pragma once

#include <sys/types.h>

#include <string>

#include "tests/media/claim/scenarios/kernel.hpp"

namespace mediarig::claim_scenarios {

class DeadLoop {
public:
    /// `place`: an unused path. Throws std::runtime_error, with "SKIPPED: …" if exfat-fuse is missing.
    explicit DeadLoop(const std::string& place);
    ~DeadLoop();
    DeadLoop(const DeadLoop&) = delete;
    DeadLoop& operator=(const DeadLoop&) = delete;
    [[nodiscard]] const AttachedLoop& loop() const { return loop_; }

private:
    std::string place_;
    AttachedLoop disk_, loop_;
};

} // namespace mediarig::claim_scenarios
