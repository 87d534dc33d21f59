// SPDX-License-Identifier: GPL-3.0-or-later
/// Texts of the window must be translated in every language, not truncated, and available to screen readers.
#include <QCommandLinkButton>
#include <QFontInfo>
#include <QGroupBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTabWidget>
#include <QTranslator>
#include <QtTest/QTest>
#include <memory>

#include "host/gui/device_card.hpp"
#include "host/gui/erase_dialog.hpp"
#include "host/gui/lane_row.hpp"
#include "host/gui/language.hpp"
#include "host/gui/main_window.hpp"
#include "host/gui/question_text.hpp"
#include "host/gui/tray_dialog.hpp"
#include "tests/catch.hpp"
#include "tests/gui/application.hpp"

using namespace mediarig;
using namespace mediarig::gui;

namespace {

/// A language in which each text is enclosed in two marks.
class Marked final : public QTranslator {
public:
    [[nodiscard]] bool isEmpty() const override { return false; }
    [[nodiscard]] QString translate(const char* context, const char* source, const char*, int) const override {
        return QString(context) == "QObject" ? QString("«%1»").arg(QString::fromUtf8(source)) : QString();
    }
};

AttachedMedium medium_that_says(const std::string& word) {
    AttachedMedium attached{.confirm = word, .title = word, .refusals = {}};
    attached.medium.node = word;
    attached.medium.serial = word;
    return attached;
}

/// The window, a question about a medium, and a running lane. Each medium is named MEDIUM.
struct Shown {
    MainWindow window{"/nonexistent/folder/r.db"};
    std::unique_ptr<EraseDialog> dialog;
    TrayDialog tray{"/nonexistent/folder/r.db", {}, nullptr};
    LaneRow lane;
    std::unique_ptr<QGroupBox> box{lane.box()};

    Shown() {
        auto* const list = window.findChild<QListWidget*>("attached");
        list->addItem(new DeviceCard(medium_that_says("MEDIUM")));
        AttachedMedium refused = medium_that_says("MEDIUM");
        refused.refusals = {"MEDIUM"};
        list->addItem(new DeviceCard(refused));
        for (const Question question : all_questions) {
            auto* const button = window.findChild<QCommandLinkButton*>(QString::fromUtf8(command_of(question).data()));
            const RunEstimate longest{.time = std::chrono::hours(99), .written = {123'456'789'000}, .read = {1}};
            button->setDescription(button->description() + ' ' + text_of(longest));
            button->setEnabled(true);
        }
        dialog = std::make_unique<EraseDialog>(medium_that_says("MEDIUM"), Question::which_format,
                                               text_of(RunEstimate{.time = std::chrono::hours(99)}), nullptr);
        lane.show(Lane{.medium = "MEDIUM", .identity = "MEDIUM"});
    }
    [[nodiscard]] std::vector<QWidget*> tops() { return {&window, dialog.get(), &tray, box.get()}; }
};

/// Enlarges the application's font while it exists.
class LargerFont {
public:
    explicit LargerFont(double factor) : before_(QApplication::font()) {
        QFont font = before_;
        font.setPointSizeF(font.pointSizeF() * factor);
        QApplication::setFont(font);
    }
    LargerFont(const LargerFont&) = delete;
    LargerFont& operator=(const LargerFont&) = delete;
    ~LargerFont() { QApplication::setFont(before_); }

private:
    QFont before_;
};

} // namespace

TEST_CASE("every text of the window is translated") {
    application();
    Marked marked;
    QCoreApplication::installTranslator(&marked);
    Shown shown;
    std::size_t texts = 0;
    for (const QWidget* const top : shown.tops())
        for (const ShownText& each : texts_of(*top)) {
            if (each.text == "mediarig" || each.text == "MEDIUM") continue;
            ++texts;
            CAPTURE(each.where, each.text.toStdString());
            CHECK(each.text.contains(QString("«")));
        }
    QCoreApplication::removeTranslator(&marked);
    CHECK(texts > 30);
}

TEST_CASE("the window uses the first available language of the user's list, and English if none is available") {
    application();
    if (!languages().contains("de")) MEDIARIG_SKIP("built without Qt's Linguist tools");
    CHECK(languages() == QStringList{"de", "en"});
    CHECK(language_for({"de-AT", "de"}) == "de");
    CHECK(language_for({"en-GB", "de-DE"}) == "en");
    CHECK(language_for({"fr-FR", "de-DE"}) == "de");
    CHECK(language_for({"fr-FR"}) == "en");
    CHECK(language_for({}) == "en");
    {
        const Language german("de");
        CHECK(text_of(Question::genuine).title == "Ist es echt?");
    }
    CHECK(text_of(Question::genuine).title == "Is it genuine?");
}

TEST_CASE("no text is truncated in either language at 100 and 125 per cent") {
    application();
    if (QFontInfo(QApplication::font()).pixelSize() == 0) MEDIARIG_SKIP("no font is installed");
    for (const QString& name : languages())
        for (const double factor : {1.0, 1.25}) {
            const Language language(name);
            const LargerFont font(factor);
            Shown shown;
            auto* const pages = shown.window.findChild<QTabWidget*>();
            for (QWidget* const top : shown.tops()) {
                top->show();
                REQUIRE(QTest::qWaitForWindowExposed(top));
            }
            for (int page = 0; page < pages->count(); ++page) {
                pages->setCurrentIndex(page);
                QCoreApplication::processEvents();
                for (const QWidget* const top : shown.tops()) {
                    CAPTURE(name.toStdString(), factor, page);
                    CHECK(cut_texts(*top) == std::vector<std::string>{});
                }
            }
        }
}

TEST_CASE("the checks detect a truncated text and a widget without an accessible name") {
    application();
    QWidget top;
    auto* const button = new QPushButton("many words for few pixels", &top);
    auto* const line = new QLineEdit(&top);
    auto* const label = new QLabel("many words for few pixels that would need more lines", &top);
    label->setWordWrap(true);
    for (QWidget* const each :
         {static_cast<QWidget*>(button), static_cast<QWidget*>(line), static_cast<QWidget*>(label)})
        each->setFixedSize(40, 20);
    top.show();
    CHECK(cut_texts(top).size() == 2);
    CHECK(nameless(top) == std::vector<std::string>{"QLineEdit "});
}

TEST_CASE("every widget with keyboard focus or a value has an accessible name") {
    application();
    Shown shown;
    for (const QWidget* const top : shown.tops()) CHECK(nameless(*top) == std::vector<std::string>{});
}

TEST_CASE("control characters in a medium's serial have no effect on the screen") {
    application();
    const QString details = details_of(medium_that_says("\x1b[2J\nfake"));
    CHECK(!details.contains('\x1b'));
    CHECK(!details.contains('\n'));
}
