// SPDX-License-Identifier: GPL-3.0-or-later
/// Converts the fields of one register to rows.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "host/media/identity/row.hpp"
#include "host/media/identity/sd_registers.hpp"

namespace mediarig::media::detail {

class FieldList {
public:
    FieldList(std::string section, const Register& bits) : section_(std::move(section)), bits_(bits) {}

    [[nodiscard]] std::uint32_t bits(unsigned high, unsigned low) const { return bits_.bits(high, low); }
    [[nodiscard]] const Register& all() const { return bits_; }
    void add(const char* name, unsigned high, unsigned low, std::string value, const char* unit = "") {
        rows_.push_back(
            {section_, name, std::move(value), unit,
             high == low ? fmt::format("{} [{}]", section_, low) : fmt::format("{} [{}:{}]", section_, high, low)});
    }
    /// Adds the number as stored.
    void count(const char* name, unsigned high, unsigned low, const char* unit = "") {
        add(name, high, low, std::to_string(bits(high, low)), unit);
    }
    void flag(const char* name, unsigned bit) { add(name, bit, bit, bits(bit, bit) == 1 ? "yes" : "no"); }
    /// Adds the meaning of a code; "reserved (N)" for an undefined code.
    void code(const char* name, unsigned high, unsigned low,
              const std::vector<std::pair<std::uint32_t, const char*>>& known, const char* unit = "") {
        const std::uint32_t value = bits(high, low);
        for (const auto& [number, meaning] : known)
            if (number == value) return add(name, high, low, meaning, unit);
        add(name, high, low, fmt::format("reserved ({})", value));
    }
    /// Adds the names of the bits that are set, from the lowest; "none" if no bit is set.
    void set_bits(const char* name, unsigned high, unsigned low, const std::vector<const char*>& names) {
        std::string text;
        for (unsigned bit = low; bit <= high; ++bit) {
            if (bits(bit, bit) == 0) continue;
            const std::size_t index = bit - low;
            if (!text.empty()) text += ", ";
            text += index < names.size() ? std::string(names[index]) : fmt::format("bit {}", bit);
        }
        add(name, high, low, text.empty() ? "none" : std::move(text));
    }
    [[nodiscard]] std::vector<IdentityRow> done() { return std::move(rows_); }

private:
    std::string section_;
    const Register& bits_;
    std::vector<IdentityRow> rows_;
};

} // namespace mediarig::media::detail
