// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests the dialog about erasing a medium while the medium is pulled or replaced.
#include <QLabel>
#include <QLineEdit>
#include <QTextBrowser>

#include "tests/gui/window.hpp"

using namespace mediarig;
using namespace mediarig::gui;

TEST_CASE("window: replugging a medium confirms its erasure without typing") {
    if (!e2e::is_root()) MEDIARIG_SKIP("needs root for loop devices");
    if (e2e::is_plain_chroot()) MEDIARIG_SKIP("loop devices cannot be tested in a plain chroot");
    Window of;
    const LoopDevice device(of.folder / "medium.img", 64 << 20);
    of.open();
    of.choose(device.node());
    EraseDialog& dialog = of.ask("verify --probe");
    auto& begin = of.child<QPushButton>("begin", &dialog);
    auto& told = of.child<QLabel>("message", &dialog);
    CHECK(!begin.isEnabled());
    REQUIRE(until([&] { return dialog.looked(); }));
    CHECK(!begin.isEnabled());
    device.pull();
    REQUIRE(until([&] { return told.text().contains("The medium was pulled out"); }));
    CHECK(!begin.isEnabled());
    device.put(device.confirm());
    REQUIRE(until([&] { return begin.isEnabled(); }));
    picture(dialog, "window-put-back");
    QTest::mouseClick(&begin, Qt::LeftButton);
    REQUIRE(until([&] { return of.pages().currentIndex() == 2; }));
    CHECK(of.child<QTextBrowser>("cards").toPlainText().contains("PROBED"));
}

TEST_CASE("window: a medium that replaces the confirmed medium is not erased, whatever the user typed") {
    if (!e2e::is_root()) MEDIARIG_SKIP("needs root for loop devices");
    if (e2e::is_plain_chroot()) MEDIARIG_SKIP("loop devices cannot be tested in a plain chroot");
    Window of;
    const LoopDevice device(of.folder / "medium.img", 64 << 20);
    e2e::make_image(of.folder / "other.img", 64 << 20);
    of.open();
    of.choose(device.node());
    EraseDialog& dialog = of.ask("verify");
    auto& begin = of.child<QPushButton>("begin", &dialog);
    auto& told = of.child<QLabel>("message", &dialog);
    of.child<QLineEdit>("confirmation", &dialog).setText(QString::fromStdString(device.confirm()));
    CHECK(begin.isEnabled());
    REQUIRE(until([&] { return dialog.looked(); }));
    device.pull();
    REQUIRE(until([&] { return !begin.isEnabled(); }));
    device.put(of.folder / "other.img");
    REQUIRE(until([&] { return told.text().contains("another medium", Qt::CaseInsensitive); }));
    CHECK(!begin.isEnabled());
    picture(dialog, "window-another");
    device.pull();
    device.put(device.confirm());
    QTest::qWait(2500);
    CHECK(!begin.isEnabled());
}

TEST_CASE("window: a medium pulled during its test ends the campaign with partial results") {
    if (!e2e::is_root()) MEDIARIG_SKIP("needs root for loop devices");
    if (e2e::is_plain_chroot()) MEDIARIG_SKIP("loop devices cannot be tested in a plain chroot");
    Window of;
    const LoopDevice device(of.folder / "medium.img", 512 << 20);
    of.open();
    of.choose(device.node());
    EraseDialog& dialog = of.ask("verify");
    of.child<QLineEdit>("confirmation", &dialog).setText(QString::fromStdString(device.confirm()));
    // The medium disappears between dialog and claim.
    device.pull();
    of.child<QPushButton>("begin", &dialog).click();
    const auto told = [&] {
        for (auto* const label : of.page(1).findChildren<QLabel*>())
            if (label->text().contains("mediarig: ")) return true;
        return of.pages().currentIndex() == 2;
    };
    CHECK(until(told));
}
