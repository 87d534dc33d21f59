// SPDX-License-Identifier: GPL-3.0-or-later
/// mediarig-window: the same as mediarig, in a window.
#include <unistd.h>

#include <QApplication>
#include <QCommandLineParser>
#include <QLocale>
#include <cstdio>

#include "host/app/paths.hpp"
#include "host/gui/language.hpp"
#include "host/gui/main_window.hpp"
#include "host/version.hpp"

namespace {

/// As docs/commands.md has them.
constexpr int request_is_wrong = 2;
constexpr int could_not_be_done = 3;

int refuse(const QString& why) {
    std::fprintf(stderr, "mediarig-window: %s; mediarig-window --help lists what it takes\n",
                 why.toLocal8Bit().constData());
    return request_is_wrong;
}

/// Qt aborts where it finds no display, after several lines; this is one, and an exit status.
void on_message(QtMsgType type, const QMessageLogContext&, const QString& text) {
    if (type != QtFatalMsg) return;
    const QByteArray first = text.split('\n').first().toLocal8Bit();
    std::fprintf(stderr, "mediarig-window: no window can be shown here: %s Use 'mediarig' in a terminal\n",
                 first.constData());
    ::_exit(could_not_be_done);
}

} // namespace

int main(int argc, char** argv) {
    qInstallMessageHandler(on_message);
    const QApplication app(argc, argv);
    QApplication::setApplicationName("mediarig-window");
    QApplication::setApplicationDisplayName("mediarig");
    QApplication::setApplicationVersion(mediarig::version);
    QApplication::setDesktopFileName("org.mediarig.window");
    // The command line is English, as that of the other programs.
    QCommandLineParser words;
    words.setApplicationDescription("mediarig in a window: choose a medium, ask, watch, read the answer.");
    // Qt's own would list its options as well.
    const QCommandLineOption help({"h", "help"}, "show this, and end");
    const QCommandLineOption version = words.addVersionOption();
    const QCommandLineOption store("store", "where results are kept", "FILE",
                                   QString::fromStdString(mediarig::app::default_store().string()));
    const QStringList known = mediarig::gui::languages();
    const QCommandLineOption language("language",
                                      "of the window's own words: " + known.join(", ") + "; else the system's",
                                      "LANGUAGE", mediarig::gui::language_for(QLocale::system().uiLanguages()));
    words.addOptions({help, store, language});
    if (!words.parse(QApplication::arguments())) {
        QString why = words.errorText();
        if (why.endsWith('.')) why.chop(1);
        return refuse(why);
    }
    if (words.isSet(help)) words.showHelp();
    if (words.isSet(version)) words.showVersion();
    if (!words.positionalArguments().isEmpty())
        return refuse("it takes no argument " + words.positionalArguments().first());
    if (!known.contains(words.value(language)))
        return refuse("it does not speak " + words.value(language) + ", but " + known.join(", "));
    const mediarig::gui::Language spoken(words.value(language));
    mediarig::gui::MainWindow window(words.value(store).toStdString());
    window.show();
    window.open();
    return QApplication::exec();
}
