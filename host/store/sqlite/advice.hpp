// SPDX-License-Identifier: GPL-3.0-or-later
/// Advice about a file that cannot be read, for the user who named it.
#pragma once

#include <string_view>

#include "host/base/result.hpp"

namespace mediarig::store {

struct Advice {
    std::string_view another; ///< to use a different file
    std::string_view empty;   ///< if it is empty
    std::string_view damaged; ///< if it cannot be read at all
    std::string_view records; ///< after a report of damage; may be empty
    Errc damage{};            ///< error for a damaged store
    bool can_be_made{};       ///< it may be created, for example in a folder
};
/// A store, which --store selects.
inline constexpr Advice about_a_store{.another = "choose another store with --store",
                                      .empty = "run one first, or name another store with --store",
                                      .damaged = "move it away",
                                      .records = "; the device logs next to it hold every record",
                                      .damage = Errc::store_failed,
                                      .can_be_made = true};
/// An exported file, which has no related files.
inline constexpr Advice about_an_export{.another = "name a file that 'mediarig campaigns export' wrote",
                                        .empty = "name a file that 'mediarig campaigns export' wrote",
                                        .damaged = "export it again, or copy it again",
                                        .records = "",
                                        .damage = Errc::bad_request};

} // namespace mediarig::store
