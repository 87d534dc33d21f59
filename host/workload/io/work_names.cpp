// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/work_names.hpp"

#include <array>
#include <charconv>

#include "common/split_mix.hpp"

namespace mediarig::workload {
namespace {

// Format of Bonnie++'s file names.
constexpr std::uint32_t number_digits = 10, most_letters = 12;
constexpr std::string_view hexadecimal = "0123456789abcdef";
constexpr std::string_view alphanumeric = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

constexpr std::string_view piece_begin = "piece-", piece_end = ".bin", folder_begin = "folder-";

bool is_numbered(std::string_view name, std::string_view begin, std::string_view end) {
    if (!name.starts_with(begin) || !name.ends_with(end) || name.size() <= begin.size() + end.size()) return false;
    name = name.substr(begin.size(), name.size() - begin.size() - end.size());
    return name.find_first_not_of("0123456789") == std::string_view::npos;
}

} // namespace

std::string piece_file(std::uint64_t index) {
    std::array<char, 20> digits;
    char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), index).ptr;
    std::string name(piece_begin);
    name.append(digits.data(), static_cast<std::size_t>(end - digits.data())).append(piece_end);
    return name;
}

std::string folder_name(std::uint64_t index) {
    return std::string(folder_begin) + std::to_string(index);
}

std::string name_of_file(const FileSet& set, std::uint32_t index, std::uint64_t seed) {
    if (set.names == FileNames::pieces) return piece_file(set.first + index);
    std::string number(number_digits, '0');
    for (std::uint32_t rest = set.first + index, at = number_digits; rest != 0; rest /= 16)
        number[--at] = hexadecimal[rest % 16];
    SplitMix random(seed * 31 + (std::uint64_t{set.first} + index) * 8 + static_cast<std::uint64_t>(set.names));
    std::string letters(random.next() % (most_letters + 1), ' ');
    for (char& letter : letters) letter = alphanumeric[random.next() % alphanumeric.size()];
    return set.names == FileNames::number_first ? number + letters : letters + number;
}

std::optional<std::uint32_t> file_called(const FileSet& set, std::string_view name, std::uint64_t seed) {
    const bool pieces = set.names == FileNames::pieces;
    if (!pieces && !is_numbered_name(name)) return std::nullopt;
    std::string_view digits =
        set.names == FileNames::number_last ? name.substr(name.size() - number_digits) : name.substr(0, number_digits);
    if (pieces) {
        const auto from = name.find_first_of("0123456789"), to = name.find('.');
        if (from == std::string_view::npos || to == std::string_view::npos || to < from) return std::nullopt;
        digits = name.substr(from, to - from);
    }
    std::uint64_t number = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), number, pieces ? 10 : 16).ec != std::errc())
        return std::nullopt;
    if (number < set.first || number - set.first >= set.files) return std::nullopt;
    const auto index = static_cast<std::uint32_t>(number - set.first);
    return name == name_of_file(set, index, seed) ? std::optional(index) : std::nullopt;
}

bool is_numbered_name(std::string_view name) {
    if (name.size() < number_digits || name.size() > number_digits + most_letters) return false;
    const auto all_of = [](std::string_view part, std::string_view set) {
        return part.find_first_not_of(set) == std::string_view::npos;
    };
    return all_of(name, alphanumeric) && (all_of(name.substr(0, number_digits), hexadecimal) ||
                                          all_of(name.substr(name.size() - number_digits), hexadecimal));
}

bool is_job_file(std::string_view name) {
    // libfuse keeps a removed file under the name .fuse_hidden… while a process has it open.
    if (name == span_file || name.starts_with(".fuse_hidden")) return true;
    return is_numbered(name, piece_begin, piece_end) || is_numbered(name, piece_begin, ".new") ||
           is_numbered_name(name);
}

bool is_job_folder(std::string_view name) {
    return is_numbered(name, folder_begin, "");
}

} // namespace mediarig::workload
