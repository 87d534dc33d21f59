// SPDX-License-Identifier: GPL-3.0-or-later
/// The pages, their keys, and what leads from one to the next.
#pragma once

#include <QMainWindow>
#include <filesystem>

class QTabWidget;

namespace mediarig::gui {

class StartPage;
class RunPage;
class ResultsPage;
class InspectPage;
class RigPage;

class MainWindow final : public QMainWindow {
public:
    explicit MainWindow(const std::filesystem::path& store);
    /// Looks what is attached, and shows the newest campaign that runs already.
    void open();
    [[nodiscard]] RunPage& running() { return *run_; }

private:
    void add_keys();
    void show_running(std::size_t count);
    void ask_tray();
    void next_part();

    std::filesystem::path store_;
    QTabWidget* pages_{};
    StartPage* start_{};
    RunPage* run_{};
    ResultsPage* results_{};
    InspectPage* inspect_{};
    RigPage* rig_{};
};

} // namespace mediarig::gui
