// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/sqlite/archive.hpp"

#include <fmt/format.h>
#include <soci/soci.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "host/store/record_json.hpp"
#include "host/store/sqlite/connection.hpp"
#include "host/store/sqlite/rows.hpp"

namespace mediarig::store {

using soci::into;
using soci::use;

namespace {

/// A column that contains the row number of another row, which differs in another store.
struct RowNumber {
    std::string_view column, table;
};

/// Selects the rows of one table that belong to a campaign. `{0}` is the database to read, "main" or "other".
struct Part {
    std::string_view table;
    std::string_view of_campaign; ///< condition on :id that selects the rows
    std::array<RowNumber, 3> numbers{};
};

constexpr std::string_view by_campaign = "campaign = :id";
constexpr std::string_view by_device = "device IN (SELECT id FROM {0}.device WHERE campaign = :id)";
constexpr std::string_view by_pass = "pass IN (SELECT id FROM {0}.pass WHERE campaign = :id)";
constexpr std::string_view by_cell =
    "cell IN (SELECT cell.id FROM {0}.cell JOIN {0}.pass ON pass.id = cell.pass WHERE pass.campaign = :id)";

/// Referenced tables come before the tables that refer to them.
constexpr std::array parts{
    Part{"campaign", "id = :id"},
    Part{"journal", by_campaign, {{{"id", "journal"}}}},
    Part{"device", by_campaign, {{{"id", "device"}}}},
    Part{"pass", by_campaign, {{{"id", "pass"}, {"device", "device"}}}},
    Part{"made_format", by_campaign, {{{"id", "made_format"}, {"device", "device"}}}},
    Part{"cell", by_pass, {{{"id", "cell"}, {"pass", "pass"}}}},
    Part{"sample_chunk", by_cell, {{{"cell", "cell"}}}},
    Part{"finding", by_device, {{{"id", "finding"}, {"device", "device"}, {"pass", "pass"}}}},
    Part{"fs_check", by_device, {{{"id", "fs_check"}, {"device", "device"}}}},
    Part{"detachment", by_device, {{{"id", "detachment"}, {"device", "device"}}}},
    Part{"untested", by_device, {{{"id", "untested"}, {"device", "device"}}}},
};

std::string condition_in(const Part& part, std::string_view store) {
    return fmt::format(fmt::runtime(part.of_campaign), store);
}

std::vector<std::string> columns_of(soci::session& sql, const Part& part) {
    std::vector<std::string> columns;
    std::string column;
    const std::string table(part.table);
    soci::statement rows =
        (sql.prepare << "SELECT name FROM pragma_table_info(:table) ORDER BY cid", use(table), into(column));
    rows.execute();
    // The campaign number is not copied: each store assigns its own numbers.
    while (rows.fetch())
        if (column != "number") columns.push_back(column);
    return columns;
}

std::vector<std::string> number_columns_of(soci::session& sql, const Part& part) {
    std::vector<std::string> columns;
    std::string column;
    const std::string table(part.table);
    soci::statement rows =
        (sql.prepare << "SELECT name FROM pragma_table_info(:table) WHERE type = 'INTEGER' ORDER BY cid", use(table),
         into(column));
    rows.execute();
    while (rows.fetch()) columns.push_back(column);
    return columns;
}

/// Returns an offset for each table that exceeds all row numbers of the table in this store.
std::vector<long long> offsets_of(soci::session& sql) {
    std::vector<long long> offsets;
    for (const Part& part : parts) {
        long long highest = 0;
        if (part.numbers[0].column == "id")
            sql << fmt::format("SELECT coalesce(max(id), 0) FROM main.{}", part.table), into(highest);
        offsets.push_back(highest);
    }
    return offsets;
}

std::string copied(const std::string& column, const Part& part, const std::vector<long long>& offsets) {
    for (const RowNumber& number : part.numbers)
        if (number.column == column)
            for (std::size_t i = 0; i < parts.size(); ++i)
                if (parts[i].table == number.table) return fmt::format("{} + {}", column, offsets[i]);
    return column;
}

std::string listed(const std::vector<std::string>& words) {
    return fmt::format("{}", fmt::join(words, ", "));
}

void copy_part(soci::session& sql, const Part& part, const std::vector<long long>& offsets, const std::string& id) {
    const std::vector<std::string> columns = columns_of(sql, part);
    std::vector<std::string> values;
    for (const std::string& column : columns) values.push_back(copied(column, part, offsets));
    sql << fmt::format("INSERT INTO main.{} ({}) SELECT {} FROM other.{} WHERE {}", part.table, listed(columns),
                       listed(values), part.table, condition_in(part, "other")),
        use(id);
}

/// Makes another store's tables available as "other" while this object exists.
class AttachedDatabase {
public:
    AttachedDatabase(soci::session& sql, const std::string& file) : sql_(sql) {
        sql_ << "ATTACH DATABASE :file AS other", use(file);
    }
    AttachedDatabase(const AttachedDatabase&) = delete;
    AttachedDatabase& operator=(const AttachedDatabase&) = delete;
    ~AttachedDatabase() {
        try {
            sql_ << "DETACH DATABASE other";
        } catch (const std::exception&) {
            // The connection detaches the database when it closes.
        }
    }

private:
    soci::session& sql_;
};

/// Returns the path that SQLite uses: the path of a copy if the store itself cannot be read in place.
std::string file_behind(soci::session& sql) {
    std::string file;
    sql << "SELECT file FROM pragma_database_list WHERE name = 'main'", into(file);
    return file;
}

/// Selects all campaigns, or only the campaign with this id.
soci::statement rows_of(soci::details::prepare_temp_type query, const std::string& only) {
    if (!only.empty()) query, use(only);
    return query;
}

std::string_view only_of(const std::string& only) {
    return only.empty() ? "" : "WHERE campaign.id = :id";
}

Result<std::vector<ListedCampaign>> list_campaigns(soci::session& sql, const std::string& only) {
    std::vector<ListedCampaign> campaigns;
    ListedCampaign next;
    long long number = 0, started = 0;
    NullableColumn<long long> ended;
    std::string state;
    soci::statement rows = rows_of(
        (sql.prepare << fmt::format("SELECT number, id, name, started_ns, ended_ns, state "
                                    "FROM campaign {} ORDER BY number DESC",
                                    only_of(only)),
         into(number), into(next.id), into(next.name), into(started), into(ended.value, ended.state), into(state)),
        only);
    rows.execute();
    while (rows.fetch()) {
        const auto known = from_name<CampaignState>(state);
        if (!known) return fail(Errc::store_failed, fmt::format("campaign {}: {}", next.id, known.error().detail));
        next.number = static_cast<std::uint64_t>(number);
        next.started = time_at(started);
        next.ended.reset();
        if (const auto at = ended.get()) next.ended = time_at(*at);
        next.state = *known;
        campaigns.push_back(next);
    }
    return campaigns;
}

/// Use one statement for all campaigns, because separate statements would take most of the time.
Result<void> list_devices(soci::session& sql, std::vector<ListedCampaign>& campaigns, const std::string& only) {
    ListedDevice next;
    long long number = 0;
    NullableColumn<std::string> grade;
    soci::statement rows = rows_of(
        (sql.prepare << fmt::format(R"(SELECT campaign.number, device.key, device.name, lot, model, serial, grade,
                                  CASE WHEN serial <> '' THEN serial
                                       WHEN json_valid(identity_json) THEN
                                           coalesce(nullif(json_extract(identity_json, '$.backing_file'), ''),
                                                    json_extract(identity_json, '$.node'), '')
                                       ELSE '' END
                           FROM device JOIN campaign ON campaign.id = device.campaign {}
                           ORDER BY campaign.number DESC, {})",
                                    only_of(only), in_plan_order),
         into(number), into(next.key), into(next.name), into(next.lot), into(next.model), into(next.serial),
         into(grade.value, grade.state), into(next.confirmation)),
        only);
    rows.execute();
    auto of = campaigns.begin();
    while (rows.fetch()) {
        next.grade.reset();
        if (grade.get()) {
            const auto known = measure::grade_from(grade.value);
            if (!known) return fail(Errc::store_failed, fmt::format("device {}: {}", next.key, known.error().detail));
            next.grade = *known;
        }
        while (of->number != static_cast<std::uint64_t>(number)) ++of;
        of->devices.push_back(next);
    }
    return {};
}

void add_name(std::vector<std::string>& names, const std::string& name) {
    const auto place = std::lower_bound(names.begin(), names.end(), name);
    if (place == names.end() || *place != name) names.insert(place, name);
}

/// Lists the passes of all campaigns with one statement.
void list_passes(soci::session& sql, std::vector<ListedCampaign>& campaigns, const std::string& only) {
    long long number = 0;
    std::string format, suite;
    soci::statement rows =
        rows_of((sql.prepare << fmt::format("SELECT DISTINCT campaign.number, format, suite FROM pass JOIN campaign ON "
                                            "campaign.id = pass.campaign {} ORDER BY campaign.number DESC",
                                            only_of(only)),
                 into(number), into(format), into(suite)),
                only);
    rows.execute();
    auto of = campaigns.begin();
    while (rows.fetch()) {
        while (of->number != static_cast<std::uint64_t>(number)) ++of;
        add_name(of->formats, format);
        add_name(of->suites, suite);
    }
}

/// Returns the statements that created the tables, indexes and views of a store.
Result<std::vector<std::string>> made_of(Connection& connection) {
    return connection.read("checking the tables", [&]() -> Result<std::vector<std::string>> {
        std::vector<std::string> all;
        std::string made;
        soci::statement rows = (connection.sql().prepare << "SELECT type || ' ' || name || ' ' || coalesce(sql, '') "
                                                            "FROM sqlite_master ORDER BY type, name",
                                into(made));
        rows.execute();
        while (rows.fetch()) all.push_back(made);
        return all;
    });
}

} // namespace

Archive::Archive(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Archive::Archive(Archive&&) noexcept = default;
Archive& Archive::operator=(Archive&&) noexcept = default;
Archive::~Archive() = default;

Result<Archive> Archive::open(const std::filesystem::path& file) {
    auto connection = Connection::open(file);
    if (!connection) return fail(std::move(connection.error()));
    return Archive(std::move(*connection));
}

Result<Archive> Archive::open_to_read(const std::filesystem::path& file, const Advice& advice) {
    auto connection = Connection::open_to_read(file, advice);
    if (!connection) return fail(std::move(connection.error()));
    return Archive(std::move(*connection));
}

Result<std::vector<ListedCampaign>> Archive::list(const std::string& only) {
    return connection_->read("listing campaigns", [&]() -> Result<std::vector<ListedCampaign>> {
        auto campaigns = list_campaigns(connection_->sql(), only);
        if (!campaigns) return campaigns;
        if (auto known = list_devices(connection_->sql(), *campaigns, only); !known) return fail(known.error());
        list_passes(connection_->sql(), *campaigns, only);
        return campaigns;
    });
}

Result<void> Archive::remove(const std::string& id, Number number) {
    return connection_->write(fmt::format("deleting campaign {}", id), [&]() -> Result<void> {
        soci::session& sql = connection_->sql();
        if (auto found = find_campaign(sql, id); !found) return found;
        if (number == Number::given_back)
            sql << "UPDATE sqlite_sequence SET seq = seq - 1 WHERE name = 'campaign' AND seq = "
                   "(SELECT number FROM campaign WHERE id = :id)",
                use(id);
        for (auto part = parts.rbegin(); part != parts.rend(); ++part)
            sql << fmt::format("DELETE FROM main.{} WHERE {}", part->table, condition_in(*part, "main")), use(id);
        return {};
    });
}

Result<void> Archive::check_tables_of(Archive& other) {
    const auto here = made_of(*connection_), there = made_of(*other.connection_);
    if (!here) return fail(here.error());
    if (!there) return fail(there.error());
    if (*here == *there) return {};
    return fail(
        Errc::bad_request,
        fmt::format(
            "{} has tables or triggers that a store does not have: nothing is imported; export it again with mediarig",
            other.connection_->file()));
}

Result<void> Archive::check_numbers() {
    return connection_->read("checking the numbers", [&]() -> Result<void> {
        soci::session& sql = connection_->sql();
        for (const Part& part : parts)
            for (const std::string& column : number_columns_of(sql, part)) {
                int wrong = 0;
                sql << fmt::format(
                    "SELECT count(*) FROM (SELECT 1 FROM {0} WHERE typeof({1}) NOT IN ('integer', 'null') OR {1} < 0 "
                    "LIMIT 1)",
                    part.table, column),
                    into(wrong);
                if (wrong != 0)
                    return fail(Errc::bad_request, fmt::format("{}: {} of a {} is not a number of 0 or more",
                                                               connection_->file(), column, part.table));
            }
        return {};
    });
}

Result<void> Archive::take_over(Archive& other, const std::string& id, CampaignOrigin made) {
    const std::string doing = fmt::format("copying campaign {}", id);
    std::string from;
    const auto there = other.connection_->read(doing, [&]() -> Result<void> {
        soci::session& sql = other.connection_->sql();
        from = file_behind(sql);
        return find_campaign(sql, id);
    });
    if (!there) return there;
    try {
        const AttachedDatabase attached(connection_->sql(), from);
        return connection_->write(doing, [&]() -> Result<void> {
            soci::session& sql = connection_->sql();
            if (find_campaign(sql, id))
                return fail(Errc::bad_request, fmt::format("campaign {} is in {} already", id, connection_->file()));
            const std::vector<long long> offsets = offsets_of(sql);
            for (const Part& part : parts) copy_part(sql, part, offsets, id);
            if (made == CampaignOrigin::elsewhere)
                sql << "UPDATE main.campaign SET resume_with = '' WHERE id = :id AND state <> 'finished'", use(id);
            return {};
        });
    } catch (const std::exception& e) {
        return fail(Errc::store_failed, fmt::format("{}: {}: {}", doing, from, e.what()));
    }
}

} // namespace mediarig::store
