// SPDX-License-Identifier: GPL-3.0-or-later
/// The languages of the window's own words: English, which its sources have, and the catalogues that are compiled in.
#pragma once

#include <QStringList>
#include <QTranslator>

namespace mediarig::gui {

/// "de", "en", sorted. English alone where the build had no Qt Linguist tools.
[[nodiscard]] QStringList languages();

/// The first of `wanted`, as QLocale::uiLanguages() has them ("de-AT"), that is among languages(); else "en".
[[nodiscard]] QString language_for(const QStringList& wanted);

/// The application speaks `language`, one of languages(), as long as this lives. Widgets that were made before keep
/// their words.
class Language {
public:
    explicit Language(const QString& language);

private:
    QTranslator own_, qt_;
};

} // namespace mediarig::gui
