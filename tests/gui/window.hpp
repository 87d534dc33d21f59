// SPDX-License-Identifier: GPL-3.0-or-later
/// The window of a test, and a block device for the test.
#pragma once

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <QCommandLinkButton>
#include <QDialog>
#include <QDir>
#include <QListWidget>
#include <QPushButton>
#include <QTabWidget>
#include <QtTest/QTest>
#include <cerrno>
#include <functional>

#include "host/gui/erase_dialog.hpp"
#include "host/gui/main_window.hpp"
#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"
#include "tests/gui/application.hpp"

namespace mediarig::gui {

using e2e::Folder;

inline bool until(const std::function<bool()>& holds) {
    return QTest::qWaitFor(holds, 120000);
}

/// Stores a picture if $MEDIARIG_PICTURES names a folder.
inline void picture(QWidget& widget, const QString& name) {
    const QString folder = qEnvironmentVariable("MEDIARIG_PICTURES");
    if (!folder.isEmpty()) CHECK(widget.grab().save(QDir(folder).filePath(name + ".png")));
}

/// A loop device with an unusual number. A search for a free loop device returns the lowest number, so it never returns
/// this device, even while it is pulled.
class LoopDevice {
public:
    LoopDevice(const std::filesystem::path& file, std::uint64_t bytes) : file_(file.string()) {
        e2e::make_image(file, bytes);
        REQUIRE(control_ >= 0);
        for (number_ = 1000; ::ioctl(control_, LOOP_CTL_ADD, number_) < 0; ++number_) REQUIRE(errno == EEXIST);
        node_ = "/dev/loop" + std::to_string(number_);
        put(file);
    }
    LoopDevice(const LoopDevice&) = delete;
    LoopDevice& operator=(const LoopDevice&) = delete;
    ~LoopDevice() {
        (void)e2e::tool({"losetup", "--detach", node_});
        // Waits for a process that has the device open.
        for (int tries = 0; ::ioctl(control_, LOOP_CTL_REMOVE, number_) < 0 && errno == EBUSY && tries < 100; ++tries)
            QTest::qWait(50);
        ::close(control_);
    }
    /// Pulls the medium as a user pulls a card.
    void pull() const { REQUIRE(e2e::tool({"losetup", "--detach", node_}).status == 0); }
    /// Plugs `file` in at the same device.
    void put(const std::filesystem::path& file) const {
        REQUIRE(e2e::tool({"losetup", node_, file.string()}).status == 0);
    }
    [[nodiscard]] const std::string& node() const { return node_; }
    /// The confirmation of the medium: the file of the loop device.
    [[nodiscard]] const std::string& confirm() const { return file_; }

private:
    std::string file_, node_;
    int control_ = ::open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    int number_{};
};

/// Counts the mouse input of the user while it exists.
class Clicks final : public QObject {
public:
    Clicks() { qApp->installEventFilter(this); }
    int count{};

protected:
    bool eventFilter(QObject* of, QEvent* event) override {
        // Each click is delivered twice, to a window and to its widget.
        if (event->type() == QEvent::MouseButtonPress && of->isWindowType()) ++count;
        return false;
    }
};

/// A window with a separate store.
struct Window {
    QApplication& app = application();
    Folder folder;
    MainWindow window{folder / "r.db"};

    template <class Widget>
    [[nodiscard]] Widget& child(const char* name, QWidget* of = nullptr) {
        auto* const found = (of != nullptr ? of : &window)->findChild<Widget*>(name);
        REQUIRE(found != nullptr);
        return *found;
    }
    /// Returns the window's dialog of this class, or null. Qt finds only classes that moc has processed.
    template <class Dialog>
    [[nodiscard]] Dialog* dialog() {
        for (QDialog* const found : window.findChildren<QDialog*>())
            if (auto* const wanted = dynamic_cast<Dialog*>(found)) return wanted;
        return nullptr;
    }
    [[nodiscard]] QTabWidget& pages() { return *window.findChild<QTabWidget*>(); }
    [[nodiscard]] QWidget& page(int index) { return *pages().widget(index); }
    /// Returns the entry of a device in the list of attached media.
    [[nodiscard]] QListWidgetItem* entry(const std::string& node) {
        auto& list = child<QListWidget>("attached");
        for (int i = 0; i < list.count(); ++i)
            if (list.item(i)->text().contains(QString::fromStdString(node + ","))) return list.item(i);
        return nullptr;
    }
    void open() {
        window.show();
        REQUIRE(QTest::qWaitForWindowExposed(&window));
        window.open();
    }
    void choose(const std::string& node) {
        REQUIRE(until([&] { return entry(node) != nullptr; }));
        child<QListWidget>("attached").setCurrentItem(entry(node));
    }
    /// Selects the entry with the mouse.
    void click_on(const std::string& node) {
        REQUIRE(until([&] { return entry(node) != nullptr; }));
        auto& list = child<QListWidget>("attached");
        list.scrollToItem(entry(node));
        QTest::mouseClick(window.windowHandle(), Qt::LeftButton, {},
                          list.viewport()->mapTo(&window, list.visualItemRect(entry(node)).center()));
        REQUIRE(list.currentItem() == entry(node));
    }
    /// Clicks a button.
    static void click(QWidget& button) {
        REQUIRE(button.isEnabled());
        QTest::mouseClick(button.window()->windowHandle(), Qt::LeftButton, {},
                          button.mapTo(button.window(), button.rect().center()));
    }
    EraseDialog& ask(const char* question) {
        auto& button = child<QCommandLinkButton>(question);
        click(button);
        auto* const asked = dialog<EraseDialog>();
        REQUIRE(asked != nullptr);
        return *asked;
    }
};

} // namespace mediarig::gui
