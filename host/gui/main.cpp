// SPDX-License-Identifier: GPL-3.0-or-later
/// mediarig-window: the graphical user interface of mediarig.
#include <unistd.h>

#include <QApplication>
#include <QCommandLineParser>
#include <QLocale>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host/app/files/paths.hpp"
#include "host/base/json/suggest.hpp"
#include "host/base/process/word_limits.hpp"
#include "host/base/version.hpp"
#include "host/gui/language.hpp"
#include "host/gui/main_window.hpp"

namespace {

/// Exit statuses of docs/reference/commands.md.
constexpr int request_is_wrong = 2;
constexpr int could_not_be_done = 3;

int refuse(const QString& why) {
    std::fprintf(stderr, "mediarig-window: %s; mediarig-window --help lists its options\n",
                 why.toLocal8Bit().constData());
    return request_is_wrong;
}

/// First warning of Qt: the probable cause of a failed start.
QString first_warning;

QString why_no_window(const QString& last) {
    const bool asks_for_another = qEnvironmentVariableIsSet("QT_QPA_PLATFORM") &&
                                  !QStringList{"xcb", "wayland"}.contains(qEnvironmentVariable("QT_QPA_PLATFORM"));
    if (!asks_for_another && qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY"))
        return "neither DISPLAY nor WAYLAND_DISPLAY names a display";
    // Remove `in ""`, which means that Qt searched no other folder.
    return (first_warning.isEmpty() ? last : first_warning).split('\n').first().remove(" in \"\"").trimmed();
}

/// Without a display Qt prints several lines and aborts: print one line and exit with a status instead.
void on_message(QtMsgType type, const QMessageLogContext&, const QString& text) {
    if (type != QtDebugMsg && type != QtInfoMsg && type != QtFatalMsg && first_warning.isEmpty()) first_warning = text;
    if (type != QtFatalMsg) return;
    std::fprintf(stderr, "mediarig-window: no window can be shown here: %s; use 'mediarig' in a terminal\n",
                 why_no_window(text).toLocal8Bit().constData());
    ::_exit(could_not_be_done);
}

struct WindowArguments {
    std::filesystem::path store;
    bool store_is_named{};
    QString language;
};

QString no_such_option(const QString& name, const QList<QCommandLineOption>& options) {
    std::vector<std::string> names;
    for (const QCommandLineOption& option : options)
        for (const QString& each : option.names()) names.push_back(each.toStdString());
    const std::vector<std::string_view> words(names.begin(), names.end());
    const std::string near(mediarig::strict_json::nearest(name.toStdString(), words));
    const QString dashes = name.size() > 1 ? "--" : "-";
    QString why = "it has no option " + dashes + name;
    if (!near.empty()) why += "; did you mean '--" + QString::fromStdString(near) + "'?";
    return why;
}

/// Returns the request from the command line, or the exit status. Errors are reported without a display.
std::variant<WindowArguments, int> read_command_line(int& argc, char** argv) {
    const QCoreApplication app(argc, argv);
    // The command line is in English, as in the other programs.
    QCommandLineParser words;
    words.setApplicationDescription("mediarig in a window: choose a medium, ask, watch, read the answer.");
    // Accept the options of Qt, which have a single dash; Qt documents them.
    words.setSingleDashWordOptionMode(QCommandLineParser::ParseAsLongOptions);
    for (const char* const name :
         {"platform", "platformtheme", "style", "stylesheet", "display", "geometry", "session"}) {
        QCommandLineOption option(name, {}, "VALUE");
        option.setFlags(QCommandLineOption::HiddenFromHelp);
        words.addOption(option);
    }
    // Qt's own help option would also list Qt's options.
    const QCommandLineOption help({"h", "help"}, "show this help, and exit");
    const QCommandLineOption version({"v", "version"}, "show the version, and exit");
    const QCommandLineOption store("store", "file that keeps the results", "FILE",
                                   QString::fromStdString(mediarig::app::default_store().string()));
    const QStringList known = mediarig::gui::languages();
    const QCommandLineOption language("language", "language of the window: " + known.join(", ") + "; else the system's",
                                      "LANGUAGE", mediarig::gui::language_for(QLocale::system().uiLanguages()));
    const QList<QCommandLineOption> options{help, version, store, language};
    words.addOptions(options);
    const bool parsed = words.parse(QCoreApplication::arguments());
    if (!words.unknownOptionNames().isEmpty())
        return refuse(no_such_option(words.unknownOptionNames().first(), options));
    if (!parsed) {
        QString why = words.errorText();
        if (why.endsWith('.')) why.chop(1);
        return refuse(why);
    }
    if (words.isSet(help)) {
        std::fputs(words.helpText().toLocal8Bit().constData(), stdout);
        return 0;
    }
    if (words.isSet(version)) {
        std::printf("mediarig-window %s\n", mediarig::version);
        return 0;
    }
    if (!words.positionalArguments().isEmpty())
        return refuse("it takes no argument " + words.positionalArguments().first());
    if (!known.contains(words.value(language)))
        return refuse("it has no language " + words.value(language) + ", but " + known.join(", "));
    return WindowArguments{.store = words.value(store).toStdString(),
                           .store_is_named = words.isSet(store),
                           .language = words.value(language)};
}

} // namespace

int main(int argc, char** argv) {
    qInstallMessageHandler(on_message);
    QCoreApplication::setApplicationName("mediarig-window");
    QCoreApplication::setApplicationVersion(mediarig::version);
    for (const auto& checked : {mediarig::process::check_arguments(argc, argv), mediarig::process::check_environment()})
        if (!checked) return refuse(QString::fromStdString(checked.error().detail));
    auto read = read_command_line(argc, argv);
    if (const int* const status = std::get_if<int>(&read)) return *status;
    const auto& asked = std::get<WindowArguments>(read);
    const QApplication app(argc, argv);
    QApplication::setApplicationDisplayName("mediarig");
    QApplication::setDesktopFileName("org.mediarig.window");
    // A missing store is not an error: the first campaign creates it. The message on the terminal reveals a mistyped
    // name.
    if (asked.store_is_named && !mediarig::app::check_store_exists(asked.store))
        std::fprintf(stderr, "mediarig-window: %s does not exist yet: the first campaign makes it\n",
                     asked.store.c_str());
    const mediarig::gui::Language spoken(asked.language);
    mediarig::gui::MainWindow window(asked.store);
    window.show();
    window.open();
    return QApplication::exec();
}
