// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/question_text.hpp"

#include <fmt/format.h>

#include <QObject>
#include <array>

#include "host/base/text.hpp"
#include "host/cli/text/text.hpp"

namespace mediarig::gui {
namespace {

QuestionText title_and_answer(Question question) {
    switch (question) {
        case Question::genuine:
            return {.title = QObject::tr("Is it genuine?"),
                    .answer = QObject::tr("Checks its claimed capacity with few writes.")};
        case Question::every_byte:
            return {.title = QObject::tr("Is every byte good?"),
                    .answer = QObject::tr("Its true capacity and all damaged places.")};
        case Question::how_fast:
            return {.title = QObject::tr("How fast is it?"),
                    .answer = QObject::tr("Read and write speed by block size, on its file system.")};
        case Question::which_format:
            return {.title = QObject::tr("Which format suits it?"),
                    .answer = QObject::tr("The faster of exFAT and FAT32 on it, the difference and its confidence.")};
    }
    return {};
}

} // namespace

QuestionText text_of(Question question) {
    QuestionText words = title_and_answer(question);
    words.erasing = erases(question) ? QObject::tr("Erases all data on the medium.") : QObject::tr("Erases nothing.");
    return words;
}

QString text_of_speed_suite(std::size_t choice) {
    const std::array<QString, speed_suites.size()> texts{QObject::tr("By block size (%1)"),
                                                         QObject::tr("Four rows, as in KDiskMark (%1)"),
                                                         QObject::tr("Mixed work, to the end of the medium (%1)")};
    return texts.at(choice).arg(QString::fromUtf8(speed_suites.at(choice)));
}

QString text_of(const RunEstimate& estimate) {
    return QObject::tr("About %1; writes %2, reads %3.")
        .arg(QString::fromStdString(cli::readable_time(estimate.time.count())),
             QString::fromStdString(size_text(estimate.written)), QString::fromStdString(size_text(estimate.read)));
}

QString details_of(const AttachedMedium& attached) {
    const media::Medium& medium = attached.medium;
    QString where =
        QString::fromStdString(printable(fmt::format("{}, {}", medium.node, media::name_of(medium.transport))));
    if (medium.serial.empty()) return where;
    return QObject::tr("%1, serial %2").arg(where, QString::fromStdString(printable(medium.serial)));
}

QString contents_of(const AttachedMedium& attached) {
    if (attached.contents.empty()) return QObject::tr("On the medium: no known file system");
    QStringList parts;
    for (const std::string& each : attached.contents) parts += QString::fromStdString(each);
    return QObject::tr("On the medium: %1").arg(parts.join("; "));
}

QString text_of_left(std::chrono::seconds left, std::optional<std::chrono::seconds> within) {
    const QString time = QString::fromStdString(cli::readable_time(left.count()));
    if (!within || within->count() == 0) return QObject::tr("%1 left").arg(time);
    return QObject::tr("%1 ± %2 left").arg(time, QString::fromStdString(cli::readable_time(within->count())));
}

QString text_of(const campaign::TimeLeft& left) {
    const QString words = text_of_left(left.left, left.within);
    return left.at_most ? QObject::tr("at most %1").arg(words) : words;
}

} // namespace mediarig::gui
