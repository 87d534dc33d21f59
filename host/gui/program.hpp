// SPDX-License-Identifier: GPL-3.0-or-later
/// The window's way to `mediarig`: everything that is done to a medium is done by that program, in a process of its
/// own.
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

struct Ended {
    int status{}; ///< exit status; -1: it could not be started, or crashed
    QByteArray out;
    QString error; ///< the last line on standard error
    QString all;   ///< all of it
};

/// Runs `mediarig` with these words; `then` is called on the GUI's thread. The owner's destructor calls
/// forget_mediarig(). Gives its process, which deletes itself behind `then`.
QProcess* run_mediarig(QObject* owner, const QStringList& words, const std::function<void(const Ended&)>& then);

/// Starts `mediarig` with these words in a process of the caller's own.
void start_mediarig(QProcess& process, const QStringList& words);

/// Ends what run_mediarig() started for it; what was to be called then is not.
void forget_mediarig(QObject* owner);

/// A campaign that was begun and outlives the window.
class BegunCampaign {
public:
    /// Writes the plan beside the store, for --resume, and runs it. Fails with store_failed, io_failed.
    [[nodiscard]] static Result<BegunCampaign> begin(const plan::Plan& plan, const std::filesystem::path& store);
    /// Runs a plan that is in a file, with more words for `mediarig run`: how the agent is reached, which rig.
    [[nodiscard]] static Result<BegunCampaign> begin(const std::filesystem::path& plan, const QStringList& words,
                                                     const std::filesystem::path& store);
    /// Its id, once its process can be watched.
    [[nodiscard]] std::optional<std::string> campaign() const;
    /// What its process said last, if it is not there any more.
    [[nodiscard]] std::optional<QString> broke_off() const;

private:
    std::filesystem::path store_, log_;
    qint64 process_{};
};

/// The plan as a file of the folder "plans" beside the store. Fails with store_failed.
[[nodiscard]] Result<std::filesystem::path> keep_plan(const plan::Plan& plan, const std::filesystem::path& store,
                                                      const QString& name);

/// How the agent of a run is reached: nobody sits at a terminal to type a password for sudo.
[[nodiscard]] QStringList agent_words();

} // namespace mediarig::gui
