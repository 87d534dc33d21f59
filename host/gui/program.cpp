// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <QDateTime>
#include <QFile>
#include <QObject>
#include <QProcess>
#include <QStandardPaths>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "host/app/files/text_file.hpp"
#include "host/base/json/json_text.hpp"
#include "host/base/local_socket.hpp"
#include "host/base/process/own_part.hpp"
#include "host/campaign/events/socket/socket_folder.hpp"

namespace mediarig::gui {
namespace {

QString program() {
    return QString::fromStdString(process::own_part("mediarig").string());
}

QString last_line(const QByteArray& text) {
    const QList<QByteArray> lines = text.trimmed().split('\n');
    return QString::fromUtf8(lines.last());
}

/// A process whose parent does not wait for it may remain as a zombie.
bool is_running(qint64 process) {
    std::ifstream stat(fmt::format("/proc/{}/stat", process));
    std::string line;
    if (!std::getline(stat, line)) return false;
    const std::size_t state = line.rfind(')');
    return state != std::string::npos && state + 2 < line.size() && line[state + 2] != 'Z';
}

QString name_of_now() {
    return QDateTime::currentDateTimeUtc().toString("yyyyMMdd-HHmmss-zzz");
}

Result<std::filesystem::path> plans_beside(const std::filesystem::path& store) {
    std::error_code failed;
    std::filesystem::path folder = std::filesystem::absolute(store, failed).parent_path() / "plans";
    if (!failed) std::filesystem::create_directories(folder, failed);
    if (!failed) return folder;
    return fail(Errc::store_failed,
                QObject::tr("cannot write %1: %2")
                    .arg(QString::fromStdString(folder.string()), QString::fromStdString(failed.message()))
                    .toStdString());
}

} // namespace

QProcess* run_mediarig(QObject* owner, const QStringList& words, const std::function<void(const ProcessEnd&)>& then) {
    auto* const process = new QProcess(owner);
    const auto end = [process, then](int status) {
        process->disconnect();
        process->deleteLater();
        const QByteArray said = process->readAllStandardError();
        const bool began = status != -1 || process->error() != QProcess::FailedToStart;
        const QString missing = QObject::tr("cannot start mediarig: install the package mediarig");
        then({.status = status,
              .out = process->readAllStandardOutput(),
              .error = began ? last_line(said) : missing,
              .all = began ? QString::fromUtf8(said).trimmed() : missing});
    };
    QObject::connect(process, &QProcess::finished, owner,
                     [end](int status, QProcess::ExitStatus how) { end(how == QProcess::NormalExit ? status : -1); });
    QObject::connect(process, &QProcess::errorOccurred, owner, [end](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) end(-1);
    });
    start_mediarig(*process, words);
    return process;
}

void start_mediarig(QProcess& process, const QStringList& words) {
    process.setStandardInputFile(QProcess::nullDevice());
    process.start(program(), words);
}

void kill_mediarig(QObject* owner) {
    for (auto* const process : owner->findChildren<QProcess*>()) {
        process->disconnect();
        process->kill();
        process->waitForFinished();
        delete process;
    }
}

QStringList agent_words() {
    if (::geteuid() == 0 || QStandardPaths::findExecutable("pkexec").isEmpty()) return {};
    return {"--agent", "pkexec"};
}

Result<std::filesystem::path> keep_plan(const plan::Plan& plan, const std::filesystem::path& store,
                                        const QString& name) {
    const auto folder = plans_beside(store);
    if (!folder) return fail(folder.error());
    return app::write_new_text(*folder, name.toStdString(), ".json", codec::json_text(plan::to_json(plan)));
}

Result<CampaignProcess> CampaignProcess::begin(const plan::Plan& plan, const std::filesystem::path& store) {
    const auto file = keep_plan(plan, store, name_of_now());
    if (!file) return fail(file.error());
    return begin(*file, agent_words(), store);
}

Result<CampaignProcess> CampaignProcess::begin(const std::filesystem::path& plan, const QStringList& words,
                                               const std::filesystem::path& store) {
    const auto folder = plans_beside(store);
    if (!folder) return fail(folder.error());
    CampaignProcess begun;
    begun.store_ = store;
    auto log = app::write_new_text(*folder, name_of_now().toStdString(), ".log", "");
    if (!log) return fail(log.error());
    begun.log_ = std::move(*log);
    QProcess process;
    process.setProgram(program());
    process.setArguments(
        QStringList{"run", QString::fromStdString(plan.string()), "--store", QString::fromStdString(store.string())} +
        words);
    process.setStandardInputFile(QProcess::nullDevice());
    process.setStandardOutputFile(QProcess::nullDevice());
    process.setStandardErrorFile(QString::fromStdString(begun.log_.string()), QIODevice::Append);
    if (!process.startDetached(&begun.process_))
        return fail(Errc::io_failed,
                    QObject::tr("cannot start %1: %2").arg(program(), process.errorString()).toStdString());
    return begun;
}

std::optional<std::string> CampaignProcess::campaign() const {
    const auto sockets = events::SocketFolder::open(store_);
    if (!sockets) return std::nullopt;
    for (const std::string& each : sockets->campaigns()) {
        const auto socket = events::connect_to_campaign(store_, each);
        if (socket && peer_of(socket->get()).process == process_) return each;
    }
    return std::nullopt;
}

std::optional<QString> CampaignProcess::broke_off() const {
    if (is_running(process_)) return std::nullopt;
    QFile log(QString::fromStdString(log_.string()));
    return log.open(QIODevice::ReadOnly) ? last_line(log.readAll()) : QString();
}

} // namespace mediarig::gui
