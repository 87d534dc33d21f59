// SPDX-License-Identifier: GPL-3.0-or-later
/// What is to be done about a file that cannot be read, said to who named it.
#pragma once

#include <string_view>

#include "host/base/result.hpp"

namespace mediarig::store {

struct Advice {
    std::string_view another; ///< in place of this file
    std::string_view empty;   ///< where it holds nothing at all
    std::string_view damaged; ///< where it cannot be read as a whole
    std::string_view records; ///< behind what is damaged; may be empty
    Errc wrong_file{};        ///< what a file is that is no store of this version
    bool can_be_made{};       ///< in a folder, for instance
};
/// A store, which --store chooses.
inline constexpr Advice about_a_store{.another = "choose another store with --store",
                                      .empty = "run one first, or name another store with --store",
                                      .damaged = "move it away",
                                      .records = "; the device logs beside it hold every record",
                                      .wrong_file = Errc::store_failed,
                                      .can_be_made = true};
/// A file that was exported, and has nothing beside it.
inline constexpr Advice about_an_export{.another = "name a file that 'mediarig campaigns export' wrote",
                                        .empty = "name a file that 'mediarig campaigns export' wrote",
                                        .damaged = "have it exported again, or copied again",
                                        .records = "",
                                        .wrong_file = Errc::bad_request};

} // namespace mediarig::store
