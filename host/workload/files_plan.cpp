// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/files_plan.hpp"

#include <algorithm>
#include <numeric>

#include "common/split_mix.hpp"
#include "host/workload/file_tree.hpp"

namespace mediarig::workload {
namespace {

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
