// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/files_plan.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "common/split_mix.hpp"
#include "host/workload/file_tree.hpp"
#include "host/workload/work_folder.hpp"

namespace mediarig::workload {
namespace {

// Bonnie++'s names.
constexpr std::uint32_t number_digits = 10, most_letters = 12;
constexpr std::string_view hexadecimal = "0123456789abcdef";
constexpr std::string_view alphanumeric = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// From 0 up to, but without, 1.
double fraction(std::uint64_t number) {
    return static_cast<double>(number >> 11) * 0x1.0p-53;
}

/// Fisher and Yates.
void shuffle(std::span<std::uint32_t> numbers, SplitMix& random) {
    for (std::size_t left = numbers.size(); left > 1; --left)
        std::swap(numbers[left - 1], numbers[static_cast<std::size_t>(random.next() % left)]);
}

std::uint64_t leaves_of(const FileSet& set) {
    std::uint64_t leaves = 1;
    for (const std::uint32_t count : set.folders) leaves *= count;
    return leaves;
}

} // namespace

Bytes size_by_square_law(const SizeLaw& law, double u) {
    const double a = static_cast<double>(law.smallest.count), b = static_cast<double>(law.largest.count);
    const double size = a / (1 - u * (1 - a / b));
    return {std::clamp(static_cast<std::uint64_t>(size), law.smallest.count, law.largest.count)};
}

Bytes size_of_file(const FileSet& set, std::uint32_t index, std::uint32_t version, std::uint64_t seed) {
    if (!set.law) return set.sizes.empty() ? Bytes{} : set.sizes[index % set.sizes.size()];
    SplitMix random(seed ^ (std::uint64_t{version} << 32 | index));
    return size_by_square_law(*set.law, fraction(random.next()));
}

std::vector<std::uint32_t> order_of(const FileSet& set, const FileStep& step, std::uint64_t seed, std::uint64_t round) {
    std::vector<std::uint32_t> numbers(set.files);
    std::iota(numbers.begin(), numbers.end(), 0u);
    SplitMix random(seed * 31 + static_cast<std::uint64_t>(step.work) + (round << 8));
    const bool some = step.work == FileWork::replace || step.work == FileWork::rename;
    if (step.order == FileOrder::random || some) shuffle(numbers, random);
    if (step.order == FileOrder::random_in_cycle)
        for (std::size_t at = 0; at < numbers.size(); at += set.sizes.size())
            shuffle(std::span(numbers).subspan(at, std::min(set.sizes.size(), numbers.size() - at)), random);
    if (some) numbers.resize(static_cast<std::size_t>(static_cast<double>(set.files) * step.part));
    return numbers;
}

std::string name_of_file(const FileSet& set, std::uint32_t index, std::uint64_t seed) {
    if (set.names == FileNames::pieces) return WorkFolder::piece_file(set.first + index);
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

std::uint32_t source_of_copy(std::uint32_t index, const FileSet& set, const FileSet& from) {
    return static_cast<std::uint32_t>(std::uint64_t{index} * from.files / set.files);
}

std::uint64_t leaf_of(const FileSet& set, std::uint32_t index) {
    return std::uint64_t{index} * leaves_of(set) / std::max<std::uint64_t>(set.files, 1);
}

std::string folder_of(const FileSet& set, std::uint32_t index) {
    std::uint64_t leaf = leaf_of(set, index), below = leaves_of(set);
    std::string path;
    for (const std::uint32_t count : set.folders) {
        below /= count;
        path += (path.empty() ? "" : "/") + FileTree::folder_name(leaf / below);
        leaf %= below;
    }
    return path;
}

std::uint64_t folders_in(const FileSet& set) {
    std::uint64_t all = 0, level = 1;
    for (const std::uint32_t count : set.folders) all += level *= count;
    return all;
}

} // namespace mediarig::workload
