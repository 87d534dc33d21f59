// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/sqlite/rows.hpp"

#include <fmt/format.h>

#include <vector>

namespace mediarig::store {

using soci::into;
using soci::use;

Result<void> find_campaign(soci::session& sql, const std::string& id) {
    int found = 0;
    sql << "SELECT count(*) FROM campaign WHERE id = :id", use(id), into(found);
    if (found == 0) return fail(Errc::bad_request, fmt::format("the store holds no campaign '{}'", id));
    return {};
}

Result<RowId> find_device(soci::session& sql, const std::string& campaign, const std::string& key) {
    RowId id = 0;
    sql << "SELECT id FROM device WHERE campaign = :campaign AND key = :key", use(campaign), use(key), into(id);
    if (!sql.got_data())
        return fail(Errc::bad_request, fmt::format("the store holds no device '{}' in campaign '{}'", key, campaign));
    return id;
}

Result<PassRow> find_pass(soci::session& sql, const std::string& campaign, const std::string& key) {
    PassRow row;
    sql << "SELECT id, device FROM pass WHERE campaign = :campaign AND key = :key", use(campaign), use(key),
        into(row.id), into(row.device);
    if (!sql.got_data())
        return fail(Errc::bad_request, fmt::format("the store holds no pass '{}' in campaign '{}'", key, campaign));
    return row;
}

void fill(soci::blob& blob, std::span<const std::uint8_t> bytes) {
    blob.write(0, reinterpret_cast<const char*>(bytes.data()), bytes.size());
    blob.trim(bytes.size());
}

std::vector<std::uint8_t> bytes_of(soci::blob& blob) {
    std::vector<std::uint8_t> bytes(blob.get_len());
    blob.read(0, reinterpret_cast<char*>(bytes.data()), bytes.size());
    return bytes;
}

} // namespace mediarig::store
