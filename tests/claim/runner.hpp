// SPDX-License-Identifier: GPL-3.0-or-later
/// Plays many stories, each in a process of its own, and clears away after each, however it ended.
#pragma once

#include <functional>

#include "tests/claim/story.hpp"

namespace mediarig::claim_stories {

/// Stories `first` to `first + count - 1` by `workers` processes side by side; `heard` is called for each as it ends.
void play_stories(std::uint64_t first, std::uint64_t count, unsigned workers, const StorySetting& setting,
                  const std::function<void(std::uint64_t, const StoryResult&)>& heard);

} // namespace mediarig::claim_stories
