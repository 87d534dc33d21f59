// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/sqlite/database_file.hpp"

#include <array>
#include <fstream>
#include <string_view>

namespace mediarig::store {

bool is_database(const std::filesystem::path& file) {
    // https://sqlite.org/fileformat.html, 1.2: the header string.
    constexpr std::string_view magic("SQLite format 3\0", 16);
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(file, unknown)) return false;
    std::array<char, magic.size()> head{};
    std::ifstream in(file, std::ios::binary);
    in.read(head.data(), head.size());
    return in && std::string_view(head.data(), head.size()) == magic;
}

} // namespace mediarig::store
