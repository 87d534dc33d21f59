// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs the program `mediarig` as a child process for every operation on a medium.
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"
#include "host/plan/plan.hpp"

class QObject;
class QProcess;

namespace mediarig::gui {

struct ProcessEnd {
    int status{}; ///< exit status; -1: not started or crashed
    QByteArray out;
    QString error; ///< last line on standard error
    QString all;   ///< all of standard error
};

/// Runs `mediarig` with these arguments and calls `then` on the GUI's thread. The owner's destructor must call
/// kill_mediarig(). Returns the process, which deletes itself after `then` has returned.
QProcess* run_mediarig(QObject* owner, const QStringList& words, const std::function<void(const ProcessEnd&)>& then);

/// Starts `mediarig` with these arguments in the caller's process object.
void start_mediarig(QProcess& process, const QStringList& words);

/// Ends all processes that run_mediarig() started for this owner, without calling `then`.
void kill_mediarig(QObject* owner);

/// A campaign that the window started; it may outlive the window.
class CampaignProcess {
public:
    /// Writes the plan next to the store, for --resume, and runs it. Fails with store_failed, io_failed.
    [[nodiscard]] static Result<CampaignProcess> begin(const plan::Plan& plan, const std::filesystem::path& store);
    /// Runs a plan file with further arguments of `mediarig run`, such as the agent and the rig.
    [[nodiscard]] static Result<CampaignProcess> begin(const std::filesystem::path& plan, const QStringList& words,
                                                       const std::filesystem::path& store);
    /// Id of the campaign; empty until it can be watched.
    [[nodiscard]] std::optional<std::string> campaign() const;
    /// Last message of the process if it has ended; else empty.
    [[nodiscard]] std::optional<QString> broke_off() const;

private:
    std::filesystem::path store_, log_;
    qint64 process_{};
};

/// Writes the plan into the folder "plans" next to the store. Fails with store_failed.
[[nodiscard]] Result<std::filesystem::path> keep_plan(const plan::Plan& plan, const std::filesystem::path& store,
                                                      const QString& name);

/// Arguments that select the agent: without a terminal sudo cannot ask for a password.
[[nodiscard]] QStringList agent_words();

} // namespace mediarig::gui
