// SPDX-License-Identifier: GPL-3.0-or-later
/// Languages of the window: English from the sources, and the compiled-in catalogues.
#pragma once

#include <QStringList>
#include <QTranslator>

namespace mediarig::gui {

/// Returns "de", "en", sorted. Only English if Qt Linguist tools were missing in the build.
[[nodiscard]] QStringList languages();

/// Returns the first language of `wanted` that is in languages(), else "en". `wanted` has the form of
/// QLocale::uiLanguages(): "de-AT".
[[nodiscard]] QString language_for(const QStringList& wanted);

/// During its lifetime, sets the language of the application, one of languages(). Existing widgets keep their texts.
class Language {
public:
    explicit Language(const QString& language);

private:
    QTranslator own_, qt_;
};

} // namespace mediarig::gui
