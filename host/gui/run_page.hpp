// SPDX-License-Identifier: GPL-3.0-or-later
/// Page of a running campaign of any process: a lane for each medium, the growing tables, and findings.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/descriptor.hpp"
#include "host/campaign/events/feed.hpp"
#include "host/campaign/events/request.hpp"
#include "host/gui/models/campaign_model.hpp"
#include "host/gui/program.hpp"

class QComboBox;
class QGridLayout;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QSocketNotifier;
class QSplitter;
class QVBoxLayout;

namespace mediarig::gui {

class LaneRow;

class RunPage final : public QWidget {
public:
    struct Callbacks {
        std::function<void(const std::string&)> ended; ///< called when the displayed campaign has ended
        std::function<void(std::size_t)> running;      ///< called with the number of running campaigns
    };
    RunPage(std::filesystem::path store, Callbacks callbacks);
    ~RunPage() override;
    /// Starts a campaign and shows it.
    void begin(const plan::Plan& plan);
    /// Like begin() above, for a plan file, with further arguments of `mediarig run`.
    void begin(const std::filesystem::path& plan, const QStringList& words);
    /// Shows a running campaign, or the error on the page.
    void attach(const std::string& campaign);
    /// If no campaign is shown, shows the newest running campaign of any process; checks every second.
    void follow();
    void ask(events::ControlRequest request);
    [[nodiscard]] bool attached() const { return notifier_ != nullptr; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void wait_for(Result<CampaignProcess> begun);
    void look_for_begun();
    bool connect_to(const std::string& campaign);
    void list_running(const std::vector<std::string>& campaigns);
    void receive();
    void detach();
    void redraw();
    void draw_lanes();
    void draw_log();
    void draw_tables();
    void tell(const QString& text);

    std::filesystem::path store_;
    Callbacks callbacks_;
    std::optional<CampaignProcess> begun_;
    QTimer look_, draw_, follow_;
    Descriptor socket_;
    std::unique_ptr<QSocketNotifier> notifier_;
    events::Feed feed_;
    CampaignModel model_;
    std::string shown_; ///< the attached or last attached campaign
    std::vector<std::string> listed_;
    bool changed_{};
    std::size_t cells_drawn_{}, lines_drawn_{};
    QElapsedTimer since_tables_;
    qint64 tables_rest_ms_{};
    std::map<std::string, std::unique_ptr<LaneRow>> rows_; ///< all rows have the same form
    std::unique_ptr<LaneRow> whole_; ///< large form of the chosen lane while all rows have the small form
    std::string chosen_;             ///< medium of the lane in `whole_`
    QLabel *title_{}, *message_{};
    QComboBox* running_{};
    QPushButton *pause_{}, *stop_{};
    QVBoxLayout* lanes_{};
    QGridLayout* grid_{};
    QSplitter* parts_{};
    QPlainTextEdit *tables_{}, *log_{};
};

} // namespace mediarig::gui
