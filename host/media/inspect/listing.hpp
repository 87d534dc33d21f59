// SPDX-License-Identifier: GPL-3.0-or-later
/// A list of parameters in which each parameter also has its position.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::media {

/// A field of a structure, as defined by the specification.
struct Field {
    std::string_view name;    ///< name in the specification
    std::uint64_t at, length; ///< offset and length in the structure
};

class Listing {
public:
    /// Sets the position of the structure for the following fields; `prefix` is put before their names.
    void structure(Bytes at, std::string prefix = {}) {
        structure_ = at;
        prefix_ = std::move(prefix);
    }
    /// `unit`: see Place.
    void add(const std::string& name, std::string value, const Field& field, const char* unit = "") {
        parameters_.emplace_back(prefix_ + name, std::move(value));
        places_.push_back({.name = prefix_ + name,
                           .field = std::string(field.name),
                           .unit = unit,
                           .at = structure_ + Bytes{field.at},
                           .length = {field.length},
                           .hex = {}});
    }
    void add(const std::string& name, std::uint64_t value, const Field& field, const char* unit = "") {
        add(name, std::to_string(value), field, unit);
    }
    void add(const std::string& name, Bytes value, const Field& field) {
        add(name, std::to_string(value.count), field, "B");
    }
    void add_flag(const std::string& name, bool value, const Field& field) { add(name, yes_no(value), field); }
    /// Adds a value that was counted or computed from several fields.
    void add_computed(const std::string& name, std::string value, const char* unit = "") {
        parameters_.emplace_back(prefix_ + name, std::move(value));
        places_.push_back({.name = prefix_ + name, .field = {}, .unit = unit, .at = {}, .length = {}, .hex = {}});
    }
    [[nodiscard]] static std::string yes_no(bool value) { return value ? "yes" : "no"; }

    [[nodiscard]] const Parameters& parameters() const { return parameters_; }
    /// Positions, one for each parameter.
    [[nodiscard]] const Places& places() const { return places_; }

private:
    Bytes structure_;
    std::string prefix_;
    Parameters parameters_;
    Places places_;
};

} // namespace mediarig::media
