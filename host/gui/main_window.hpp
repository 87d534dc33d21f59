// SPDX-License-Identifier: GPL-3.0-or-later
/// Main window: the pages, their keys and the transitions between them.
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
    /// Lists the attached media and shows the newest running campaign.
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
