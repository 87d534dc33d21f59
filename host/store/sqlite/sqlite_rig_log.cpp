// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <soci/soci.h>

#include <chrono>
#include <utility>

#include "host/base/enum_names.hpp"
#include "host/store/sqlite/connection.hpp"
#include "host/store/sqlite/open_rig_log.hpp"
#include "host/store/sqlite/operation_form.hpp"
#include "host/store/sqlite/rows.hpp"

namespace mediarig::store {
namespace {

using rig::Intent;
using rig::LoggedEvent;
using rig::LoggedJob;
using soci::into;
using soci::use;

using State = LoggedJob::State;

template <class Small>
Small narrow(long long value) {
    return static_cast<Small>(value);
}

class SqliteRigLog final : public rig::RigLog {
public:
    explicit SqliteRigLog(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}

    Result<std::uint32_t> open(const std::string& board) override {
        board_ = board;
        std::uint32_t newest = 0;
        auto written = connection_->write("opening the rig's ledger", [&]() -> Result<void> {
            sql() << "INSERT INTO rig_board (board, epoch, passed_over) VALUES (:board, 1, 0) ON CONFLICT DO NOTHING",
                use(board_);
            newest = newest_job();
            return {};
        });
        if (!written) return fail(std::move(written.error()));
        return newest;
    }

    Result<std::uint32_t> intend(const Intent& intent) override {
        if (auto opened = is_open(); !opened) return fail(std::move(opened.error()));
        std::uint32_t job = 0;
        auto written = connection_->write("recording a job of the rig", [&]() -> Result<void> {
            job = newest_job() + 1;
            const long long id = job;
            const OperationForm form = form_of(intent.what);
            const std::string state(name_of(State::intended));
            const long long now = utc();
            sql() << R"(INSERT INTO rig_job (board, job, op, arguments_json, why, state, fault, detail, intended_ns)
                        VALUES (:board, :job, :op, :arguments, :why, :state, 0, 0, :now))",
                use(board_), use(id), use(form.op), use(form.arguments), use(intent.why), use(state), use(now);
            return {};
        });
        if (!written) return fail(std::move(written.error()));
        return job;
    }

    Result<void> pass_over(std::uint32_t job) override {
        if (auto opened = is_open(); !opened) return opened;
        return connection_->write("skipping a board's earlier jobs", [&]() -> Result<void> {
            const long long id = job;
            sql() << "UPDATE rig_board SET passed_over = max(passed_over, :job) WHERE board = :board", use(id),
                use(board_);
            return {};
        });
    }

    Result<void> resolve(std::uint32_t job, LoggedJob::State state, rigproto::Fault fault,
                         std::uint8_t detail) override {
        if (auto opened = is_open(); !opened) return opened;
        return connection_->write(fmt::format("recording the end of the rig's job {}", job), [&]() -> Result<void> {
            const long long id = job;
            const std::string name(name_of(state));
            const int cause = static_cast<int>(fault);
            const int about = detail;
            const long long now = utc();
            soci::statement update =
                (sql().prepare
                     << R"(UPDATE rig_job SET state = :state, fault = :fault, detail = :detail, resolved_ns = :now
                                     WHERE board = :board AND job = :job)",
                 use(name), use(cause), use(about), use(now), use(board_), use(id));
            update.execute(true);
            if (update.get_affected_rows() == 1) return {};
            return fail(Errc::bad_request, fmt::format("the rig's ledger holds no job {} of board {}", job, board_));
        });
    }

    Result<std::vector<LoggedJob>> latest(std::size_t count) override {
        if (auto opened = is_open(); !opened) return fail(std::move(opened.error()));
        return connection_->read("reading the rig's ledger", [&]() -> Result<std::vector<LoggedJob>> {
            const long long most = column_of(count);
            long long job = 0;
            int fault = 0, detail = 0;
            OperationForm form;
            std::string why, state;
            soci::statement rows =
                (sql().prepare << R"(SELECT job, op, arguments_json, why, state, fault, detail FROM rig_job
                                     WHERE board = :board ORDER BY job DESC LIMIT :most)",
                 use(board_), use(most), into(job), into(form.op), into(form.arguments), into(why), into(state),
                 into(fault), into(detail));
            rows.execute();
            std::vector<LoggedJob> jobs;
            while (rows.fetch()) {
                auto what = operation_from(form);
                if (!what) return unreadable(job, what.error());
                const auto known_state = from_name<State>(state);
                if (!known_state) return unreadable(job, known_state.error());
                jobs.push_back({.job = narrow<std::uint32_t>(job),
                                .intent = {.what = *what, .why = why},
                                .state = *known_state,
                                .fault = narrow<rigproto::Fault>(fault),
                                .detail = narrow<std::uint8_t>(detail)});
            }
            return jobs;
        });
    }

    Result<void> keep(const LoggedEvent& event) override {
        if (auto opened = is_open(); !opened) return opened;
        return connection_->write(fmt::format("keeping the board's event {}", event.id), [&]() -> Result<void> {
            const long long epoch = event.epoch, id = event.id;
            const int kind = static_cast<int>(event.kind);
            const long long now = utc();
            soci::blob payload(sql());
            fill(payload, event.payload);
            sql() << R"(INSERT INTO rig_event (board, epoch, id, kind, payload, kept_ns)
                        VALUES (:board, :epoch, :id, :kind, :payload, :now) ON CONFLICT DO NOTHING)",
                use(board_), use(epoch), use(id), use(kind), use(payload), use(now);
            return {};
        });
    }

    Result<std::pair<std::uint32_t, std::uint32_t>> newest_event() override {
        if (auto opened = is_open(); !opened) return fail(std::move(opened.error()));
        return connection_->read("reading the board's events",
                                 [&]() -> Result<std::pair<std::uint32_t, std::uint32_t>> {
                                     const long long epoch = current_epoch();
                                     long long newest = 0;
                                     sql() << "SELECT coalesce(max(id), 0) FROM rig_event WHERE board = :board AND "
                                              "epoch = :epoch",
                                         use(board_), use(epoch), into(newest);
                                     return std::pair(narrow<std::uint32_t>(epoch), narrow<std::uint32_t>(newest));
                                 });
    }

    Result<std::uint32_t> begin_epoch() override {
        if (auto opened = is_open(); !opened) return fail(std::move(opened.error()));
        std::uint32_t begun = 0;
        auto written = connection_->write("beginning a new epoch of the board's events", [&]() -> Result<void> {
            sql() << "UPDATE rig_board SET epoch = epoch + 1 WHERE board = :board", use(board_);
            begun = narrow<std::uint32_t>(current_epoch());
            return {};
        });
        if (!written) return fail(std::move(written.error()));
        return begun;
    }

private:
    soci::session& sql() { return connection_->sql(); }

    Result<void> is_open() const {
        if (!board_.empty()) return {};
        return fail(Errc::bad_request, "the rig's ledger was not opened for a board");
    }
    /// The cause is a manual change of the file, a disk error or another version of mediarig.
    [[nodiscard]] tl::unexpected<Error> unreadable(long long job, const Error& why) const {
        return fail(Errc::store_failed,
                    fmt::format("job {} of board {} in the rig's ledger cannot be read: {}", job, board_, why.detail));
    }
    std::uint32_t newest_job() {
        long long newest = 0;
        sql()
            << R"(SELECT max(passed_over, (SELECT coalesce(max(job), 0) FROM rig_job WHERE rig_job.board = rig_board.board))
                    FROM rig_board WHERE board = :board)",
            use(board_), into(newest);
        return narrow<std::uint32_t>(newest);
    }
    long long current_epoch() {
        long long epoch = 0;
        sql() << "SELECT epoch FROM rig_board WHERE board = :board", use(board_), into(epoch);
        return epoch;
    }
    static long long utc() {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    }

    std::unique_ptr<Connection> connection_;
    std::string board_;
};

} // namespace

Result<std::unique_ptr<rig::RigLog>> open_rig_log(const std::filesystem::path& file) {
    auto connection = Connection::open(file);
    if (!connection) return fail(std::move(connection.error()));
    return std::make_unique<SqliteRigLog>(std::move(*connection));
}

} // namespace mediarig::store
