// SPDX-License-Identifier: GPL-3.0-or-later
/// Advice for the user who named a file that cannot be read.
#pragma once

#include <string_view>

#include "host/base/result.hpp"

namespace mediarig::store {

struct Advice {
    std::string_view another; ///< how to use a different file
    std::string_view empty;   ///< advice for an empty file
    std::string_view damaged; ///< advice for a file that cannot be read at all
    std::string_view records; ///< appended to a report of damage; may be empty
    Errc damage{};            ///< error for a damaged store
    bool can_be_made{};       ///< the file may be created, for example in a folder
};
/// Advice for a store, which --store selects.
inline constexpr Advice about_a_store{.another = "choose another store with --store",
                                      .empty = "run a campaign first, or name another store with --store",
                                      .damaged = "move it away",
                                      .records = "; the device logs next to the store contain every record",
                                      .damage = Errc::store_failed,
                                      .can_be_made = true};
/// Advice for an exported file, which has no related files.
inline constexpr Advice about_an_export{.another = "name a file that 'mediarig campaigns export' wrote",
                                        .empty = "name a file that 'mediarig campaigns export' wrote",
                                        .damaged = "export it again, or copy it again",
                                        .records = "",
                                        .damage = Errc::bad_request};

} // namespace mediarig::store
