// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes and reads rows of tables: each column is named once, next to its value. Does not catch SOCI's exceptions.
#pragma once

#include <soci/soci.h>

#include <list>
#include <optional>
#include <string>
#include <string_view>

#include "host/store/sqlite/rows.hpp"

namespace mediarig::store {

/// Writes a row of a table in which each key occurs at most once.
class RowWriter {
public:
    RowWriter(soci::session& sql, std::string_view table) : statement_(sql), table_(table) {}

    /// Adds a column of the row's key.
    RowWriter& key(std::string_view column, std::optional<long long> value);
    RowWriter& key(std::string_view column, std::optional<std::string> value);
    /// Adds a column that put() overwrites in an existing row. A BLOB `value` must outlive put().
    RowWriter& set(std::string_view column, std::optional<long long> value);
    RowWriter& set(std::string_view column, std::optional<std::string> value);
    RowWriter& set(std::string_view column, soci::blob& value);
    /// Adds a column that put() overwrites unless the new value is NULL.
    RowWriter& set_once(std::string_view column, std::optional<std::string> value);
    /// Sets a column that other code fills to NULL.
    RowWriter& clear(std::string_view column) { return set(column, std::optional<long long>()); }

    /// Inserts the row, or updates the row with the same key.
    void put();

private:
    template <class T>
    RowWriter& bind(std::string_view column, std::list<NullableColumn<T>>& held, std::optional<T> value);
    RowWriter& name(std::string_view column);
    RowWriter& update(std::string_view column, std::string_view form);

    soci::statement statement_;
    std::string table_, columns_, placeholders_, keys_, updates_;
    std::list<NullableColumn<long long>> numbers_; // SOCI keeps references
    std::list<NullableColumn<std::string>> texts_;
};

/// Reads the rows of a query one by one into the same variables.
class RowReader {
public:
    explicit RowReader(soci::session& sql) : statement_(sql) {}

    /// `column` is an SQL expression. `into` must outlive the reader.
    template <class T>
    RowReader& column(std::string_view column, T& into) {
        name(column);
        statement_.exchange(soci::into(into));
        return *this;
    }
    template <class T>
    RowReader& column(std::string_view column, NullableColumn<T>& into) {
        name(column);
        statement_.exchange(soci::into(into.value, into.state));
        return *this;
    }
    /// E.g. "pass WHERE device = :device": `values` are the values of the placeholders and must outlive the reader.
    template <class... T>
    void from(std::string_view rest, const T&... values) {
        (statement_.exchange(soci::use(values)), ...);
        execute(rest);
    }
    /// Fetches the next row into the bound variables; returns false after the last row.
    [[nodiscard]] bool next() { return statement_.fetch(); }

private:
    void name(std::string_view column);
    void execute(std::string_view rest);

    soci::statement statement_;
    std::string columns_;
};

} // namespace mediarig::store
