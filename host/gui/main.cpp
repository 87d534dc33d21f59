// SPDX-License-Identifier: GPL-3.0-or-later
/// mediarig-window: the same as mediarig, in a window.
#include <unistd.h>

#include <QApplication>
#include <QCommandLineParser>
#include <cstdio>

#include "host/app/paths.hpp"
#include "host/gui/main_window.hpp"
#include "host/version.hpp"

namespace {

/// As docs/commands.md has it for what could not be done here.
constexpr int could_not_be_done = 3;

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
    QCommandLineParser words;
    words.setApplicationDescription(QObject::tr("mediarig in a window: choose a medium, ask, watch, read the answer."));
    words.addHelpOption();
    words.addVersionOption();
    const QCommandLineOption store("store", QObject::tr("where results are kept"), "FILE",
                                   QString::fromStdString(mediarig::app::default_store().string()));
    words.addOption(store);
    words.process(app);
    mediarig::gui::MainWindow window(words.value(store).toStdString());
    window.show();
    window.open();
    return QApplication::exec();
}
