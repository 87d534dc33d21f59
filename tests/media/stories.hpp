// SPDX-License-Identifier: GPL-3.0-or-later
/// The safety stories: somebody asks for a medium to be erased, and something is wrong, or changes meanwhile. A row is
/// a story; stories_test.cpp plays each of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/media/stories_machine.hpp"

namespace mediarig::media::stories {

struct Story {
    std::string name;
    std::function<void(Machine&)> machine;
    std::string target;
    std::string confirmation;
    /// The one physical disk that may be written; empty where none may.
    std::string may_write{};
    /// Part of the line that the person reads; empty where the story ends well.
    std::string says{};
    /// What happens after the claim and before the first destructive phase.
    std::function<void(Machine&)> after_claim{};
    /// What happens between identifying and opening the device.
    std::function<void(Machine&)> before_open{};
    /// What happens right after the device was opened.
    std::function<void(Machine&)> after_open{};
};

[[nodiscard]] std::vector<Story> system_disk_stories();
[[nodiscard]] std::vector<Story> somebodys_data_stories();
[[nodiscard]] std::vector<Story> kind_of_medium_stories();
[[nodiscard]] std::vector<Story> naming_stories();
[[nodiscard]] std::vector<Story> change_stories();
[[nodiscard]] std::vector<Story> doubt_stories();

} // namespace mediarig::media::stories
