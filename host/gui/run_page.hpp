// SPDX-License-Identifier: GPL-3.0-or-later
/// A campaign while it runs, whoever began it: a lane for each medium, the tables as they fill, what is found.
#pragma once

#include <QTimer>
#include <QWidget>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "host/descriptor.hpp"
#include "host/events/feed.hpp"
#include "host/events/request.hpp"
#include "host/gui/models/campaign_model.hpp"
#include "host/gui/program.hpp"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QSocketNotifier;
class QVBoxLayout;

namespace mediarig::gui {

class LaneRow;

class RunPage final : public QWidget {
public:
    /// `ended` is called with the id of a campaign that came to its end while it was shown.
    RunPage(std::filesystem::path store, std::function<void(const std::string&)> ended);
    ~RunPage() override;
    /// Begins a campaign and shows it.
    void begin(const plan::Plan& plan);
    /// Shows one that runs. What keeps it from that is told on the page.
    void attach(const std::string& campaign);
    void ask(events::Request request);
    [[nodiscard]] bool attached() const { return notifier_ != nullptr; }

private:
    void look_for_begun();
    void receive();
    void detach();
    void redraw();
    void draw_tables();
    void tell(const QString& text);

    std::filesystem::path store_;
    std::function<void(const std::string&)> ended_;
    std::optional<BegunCampaign> begun_;
    QTimer look_, draw_;
    Descriptor socket_;
    std::unique_ptr<QSocketNotifier> notifier_;
    events::Feed feed_;
    CampaignModel model_;
    bool changed_{};
    std::size_t cells_drawn_{}, lines_drawn_{};
    std::map<std::string, std::unique_ptr<LaneRow>> rows_;
    QLabel *title_{}, *told_{};
    QPushButton *pause_{}, *stop_{};
    QVBoxLayout* lanes_{};
    QPlainTextEdit *tables_{}, *log_{};
};

} // namespace mediarig::gui
