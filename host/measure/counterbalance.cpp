// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/counterbalance.hpp"

#include <algorithm>
#include <numeric>

namespace mediarig::measure {
namespace {

/// 0, 1, n - 1, 2, n - 2, …: the differences of neighbours are all different modulo n.
std::vector<std::size_t> first_row(std::size_t things) {
    std::vector<std::size_t> row;
    for (std::size_t place = 0; place < things; ++place)
        row.push_back(place % 2 == 1 ? (place + 1) / 2 : (things - place / 2) % things);
    return row;
}

} // namespace

std::vector<std::vector<std::size_t>> counterbalanced(std::size_t things, std::size_t rows) {
    const std::vector<std::size_t> first = first_row(things);
    std::vector<std::vector<std::size_t>> all;
    for (std::size_t row = 0; row < rows; ++row) {
        std::vector<std::size_t> order = first;
        // For an even number of things, the mirror image of a row is the row at a distance of half the number. One half
        // of the square together with its mirror images is then the whole square.
        for (std::size_t& thing : order) thing = (thing + row / 2) % std::max<std::size_t>(things, 1);
        if (row % 2 == 1) std::reverse(order.begin(), order.end());
        all.push_back(std::move(order));
    }
    return all;
}

void shuffle(std::vector<std::size_t>& order, SplitMix& numbers) {
    for (std::size_t left = order.size(); left > 1; --left) std::swap(order[left - 1], order[numbers.next() % left]);
}

std::vector<std::vector<std::size_t>> random_orders(std::size_t things, std::size_t rows, SplitMix numbers) {
    std::vector<std::size_t> order(things);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<std::vector<std::size_t>> all;
    for (std::size_t row = 0; row < rows; ++row) {
        shuffle(order, numbers);
        all.push_back(order);
    }
    return all;
}

std::vector<std::vector<std::size_t>> shuffled_pairs(std::size_t things, std::size_t rows, SplitMix numbers) {
    std::vector<std::size_t> order(things);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<std::vector<std::size_t>> all;
    for (std::size_t row = 0; row < rows; ++row) {
        if (row % 2 == 0)
            shuffle(order, numbers);
        else
            std::reverse(order.begin(), order.end());
        all.push_back(order);
    }
    return all;
}

} // namespace mediarig::measure
