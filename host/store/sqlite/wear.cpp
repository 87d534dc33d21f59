// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/sqlite/wear.hpp"

#include <fmt/format.h>
#include <soci/soci.h>

#include "host/rig/port/rig_log.hpp"
#include "host/store/sqlite/connection.hpp"

namespace mediarig::store {

using soci::into;
using soci::use;

Result<Wear> read_wear(const std::filesystem::path& store) {
    auto connection = Connection::open_to_read(store);
    if (!connection) return fail(std::move(connection.error()));
    return (*connection)->read("counting mating cycles", [&]() -> Result<Wear> {
        soci::session& sql = (*connection)->sql();
        Wear wear;
        std::string board, device, name;
        int port = 0;
        long long cycles = 0;
        const std::string mark(rig::simulated_mark);
        soci::statement sockets =
            (sql.prepare << R"(WITH load AS (SELECT board, json_extract(arguments_json, '$.into') AS port, intended_ns
                                             FROM rig_job WHERE op = 'load' AND state = 'done'
                                             AND substr(board, -length(:mark)) <> :mark)
                               SELECT board, port, count(*) FROM load
                               WHERE intended_ns > coalesce((SELECT max(at_ns) FROM socket_replaced AS new
                                                             WHERE new.board = load.board AND new.port = load.port), 0)
                               GROUP BY board, port ORDER BY board, port)",
             use(mark, "mark"), into(board), into(port), into(cycles));
        sockets.execute();
        while (sockets.fetch())
            wear.sockets.push_back({.board = board,
                                    .port = rig::PortIndex{static_cast<std::uint8_t>(port)},
                                    .cycles = static_cast<std::uint64_t>(cycles)});
        // A detachment with a ramp was only a handshake within a mating, so it is not counted.
        soci::statement cards = (sql.prepare << R"(SELECT device.key, max(device.name), count(*)
                               FROM detachment JOIN device ON device.id = detachment.device
                               WHERE emulated = 0 AND json_extract(detachment_json, '$.ramp_us') IS NULL
                               GROUP BY device.key ORDER BY device.key)",
                                 into(device), into(name), into(cycles));
        cards.execute();
        while (cards.fetch())
            wear.cards.push_back({.device = device, .name = name, .cycles = static_cast<std::uint64_t>(cycles)});
        return wear;
    });
}

Result<void> note_replaced_socket(const std::filesystem::path& store, const std::string& board, rig::PortIndex port,
                                  TimePoint at) {
    auto connection = Connection::open(store);
    if (!connection) return fail(std::move(connection.error()));
    return (*connection)->write("noting a replaced socket", [&]() -> Result<void> {
        soci::session& sql = (*connection)->sql();
        int known = 0;
        sql << "SELECT count(*) FROM rig_board WHERE board = :board", use(board), into(known);
        if (known == 0)
            return fail(Errc::bad_request,
                        fmt::format("the ledger has no board \"{}\": mediarig rig wear lists its boards", board));
        const int index = port.index;
        const long long when = at.time_since_epoch().count();
        sql << "INSERT INTO socket_replaced (board, port, at_ns) VALUES (:board, :port, :at)", use(board), use(index),
            use(when);
        return {};
    });
}

} // namespace mediarig::store
