// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/language.hpp"

#include <QCoreApplication>
#include <QDir>
#include <QLibraryInfo>

namespace mediarig::gui {
namespace {

constexpr auto english = "en";
constexpr auto catalogues = ":/i18n";

} // namespace

QStringList languages() {
    QStringList result{english};
    for (const QString& file : QDir(catalogues).entryList({"mediarig_*.qm"}))
        result += file.section('_', 1).section('.', 0, 0);
    result.sort();
    return result;
}

QString language_for(const QStringList& wanted) {
    // QTranslator::load(QLocale) would skip English, which has no catalogue, and load the catalogue of the next
    // language.
    const QStringList known = languages();
    for (const QString& each : wanted) {
        const QString language = each.section('-', 0, 0);
        if (known.contains(language)) return language;
    }
    return english;
}

Language::Language(const QString& language) {
    if (language == english) return;
    if (own_.load("mediarig_" + language, catalogues)) QCoreApplication::installTranslator(&own_);
    // Texts of Qt, such as the texts of context menus, if the system has the catalogue.
    if (qt_.load("qtbase_" + language, QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(&qt_);
}

} // namespace mediarig::gui
