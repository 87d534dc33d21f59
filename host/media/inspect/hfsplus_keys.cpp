// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/hfsplus_keys.hpp"

#include <algorithm>

namespace mediarig::media::hfsplus {
namespace {

template <class T>
KeyOrder order(T a, T b) {
    return a < b ? KeyOrder::less : b < a ? KeyOrder::greater : KeyOrder::equal;
}

/// The fields before the name differ between the kinds of key; a key without a name has no such fields.
struct Shape {
    std::size_t fixed;        ///< keyLength without the name's units
    std::size_t name_length;  ///< offset of the number of units; 0 = no name
    std::size_t longest_name; ///< units
};

Shape shape_of(KeyKind kind) {
    if (kind == KeyKind::extents) return {10, 0, 0};
    if (kind == KeyKind::attributes) return {12, 12, 127};
    return {6, 6, 255};
}

KeyOrder compare_binary(Raw a, Raw b) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); i += 2)
        if (const KeyOrder found = order(load_be<std::uint16_t>(a, i), load_be<std::uint16_t>(b, i));
            found != KeyOrder::equal)
            return found;
    return order(a.size(), b.size());
}

bool is_ascii(std::uint16_t unit) {
    return unit < 0x80;
}

std::uint32_t fold(std::uint16_t unit) {
    if (unit == 0) return 0xFFFF; // sorts the private folders last
    return unit >= 'A' && unit <= 'Z' ? std::uint32_t{unit} + ('a' - 'A') : unit;
}

KeyOrder compare_ignoring_case(Raw a, Raw b) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); i += 2) {
        const auto x = load_be<std::uint16_t>(a, i), y = load_be<std::uint16_t>(b, i);
        if (x == y) continue;
        if (!is_ascii(x) || !is_ascii(y)) return KeyOrder::undecided;
        if (const KeyOrder found = order(fold(x), fold(y)); found != KeyOrder::equal) return found;
    }
    if (a.size() == b.size()) return KeyOrder::equal;
    // The additional characters of the longer name may all be ignorable.
    const Raw& longer = a.size() > b.size() ? a : b;
    if (!is_ascii(load_be<std::uint16_t>(longer, std::min(a.size(), b.size())))) return KeyOrder::undecided;
    return order(a.size(), b.size());
}

KeyOrder compare_extents(Raw a, Raw b) {
    const KeyOrder files = order(load_be<std::uint32_t>(a, 4), load_be<std::uint32_t>(b, 4));
    if (files != KeyOrder::equal) return files;
    const KeyOrder forks = order(load_be<std::uint8_t>(a, 2), load_be<std::uint8_t>(b, 2));
    return forks != KeyOrder::equal ? forks : order(load_be<std::uint32_t>(a, 8), load_be<std::uint32_t>(b, 8));
}

KeyOrder compare_attributes(Raw a, Raw b) {
    const KeyOrder files = order(load_be<std::uint32_t>(a, 4), load_be<std::uint32_t>(b, 4));
    if (files != KeyOrder::equal) return files;
    const auto name = [](Raw key) { return key.subspan(14, std::size_t{2} * load_be<std::uint16_t>(key, 12)); };
    const KeyOrder names = compare_binary(name(a), name(b));
    return names != KeyOrder::equal ? names : order(load_be<std::uint32_t>(a, 8), load_be<std::uint32_t>(b, 8));
}

} // namespace

bool has_key(KeyKind kind, Raw record) {
    const Shape shape = shape_of(kind);
    if (record.size() < 2 + shape.fixed) return false;
    std::size_t units = 0;
    if (shape.name_length != 0) units = load_be<std::uint16_t>(record, shape.name_length);
    return units <= shape.longest_name && load_be<std::uint16_t>(record, 0) == shape.fixed + 2 * units &&
           record.size() >= 2 + shape.fixed + 2 * units;
}

std::size_t key_size(Raw record) {
    return std::size_t{2} + load_be<std::uint16_t>(record, 0);
}

KeyOrder compare(KeyKind kind, Raw a, Raw b) {
    if (kind == KeyKind::extents) return compare_extents(a, b);
    if (kind == KeyKind::attributes) return compare_attributes(a, b);
    const KeyOrder parents = order(catalog_parent(a), catalog_parent(b));
    if (parents != KeyOrder::equal) return parents;
    return kind == KeyKind::catalog_binary ? compare_binary(catalog_name(a), catalog_name(b))
                                           : compare_ignoring_case(catalog_name(a), catalog_name(b));
}

} // namespace mediarig::media::hfsplus
