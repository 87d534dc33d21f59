// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/sqlite/row_io.hpp"

#include <fmt/format.h>

#include <utility>

namespace mediarig::store {
namespace {

void append(std::string& list, std::string_view element) {
    list.append(list.empty() ? "" : ", ").append(element);
}

void prepare(soci::statement& statement, const std::string& query) {
    statement.alloc();
    statement.prepare(query);
    statement.define_and_bind();
}

} // namespace

RowWriter& RowWriter::key(std::string_view column, std::optional<long long> value) {
    append(keys_, column);
    return bind(column, numbers_, value);
}

RowWriter& RowWriter::key(std::string_view column, std::optional<std::string> value) {
    append(keys_, column);
    return bind(column, texts_, std::move(value));
}

RowWriter& RowWriter::set(std::string_view column, std::optional<long long> value) {
    return bind(column, numbers_, value).update(column, "excluded.{0}");
}

RowWriter& RowWriter::set(std::string_view column, std::optional<std::string> value) {
    return bind(column, texts_, std::move(value)).update(column, "excluded.{0}");
}

RowWriter& RowWriter::set(std::string_view column, soci::blob& value) {
    statement_.exchange(soci::use(value));
    return name(column).update(column, "excluded.{0}");
}

RowWriter& RowWriter::set_once(std::string_view column, std::optional<std::string> value) {
    return bind(column, texts_, std::move(value)).update(column, "coalesce({0}, excluded.{0})");
}

void RowWriter::put() {
    prepare(statement_, fmt::format("INSERT INTO {} ({}) VALUES ({}) ON CONFLICT ({}) DO UPDATE SET {}", table_,
                                    columns_, placeholders_, keys_, updates_));
    statement_.execute(true);
}

RowWriter& RowWriter::name(std::string_view column) {
    append(columns_, column);
    append(placeholders_, fmt::format(":{}", column));
    return *this;
}

template <class T>
RowWriter& RowWriter::bind(std::string_view column, std::list<NullableColumn<T>>& held, std::optional<T> value) {
    NullableColumn<T>& kept = held.emplace_back(std::move(value));
    statement_.exchange(soci::use(kept.value, kept.state));
    return name(column);
}

RowWriter& RowWriter::update(std::string_view column, std::string_view form) {
    append(updates_, fmt::format("{} = {}", column, fmt::format(fmt::runtime(form), column)));
    return *this;
}

void RowReader::name(std::string_view column) {
    append(columns_, column);
}

void RowReader::execute(std::string_view rest) {
    prepare(statement_, fmt::format("SELECT {} FROM {}", columns_, rest));
    statement_.execute();
}

} // namespace mediarig::store
