// SPDX-License-Identifier: GPL-3.0-or-later
/// A campaign while it runs, whoever began it: a lane for each medium, the tables as they fill, what is found.
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
        std::function<void(const std::string&)> ended; ///< a campaign that came to its end while it was shown
        std::function<void(std::size_t)> running;      ///< how many campaigns run now
    };
    RunPage(std::filesystem::path store, Callbacks callbacks);
    ~RunPage() override;
    /// Begins a campaign and shows it.
    void begin(const plan::Plan& plan);
    /// The same of a plan in a file, with more words for `mediarig run`.
    void begin(const std::filesystem::path& plan, const QStringList& words);
    /// Shows one that runs. What keeps it from that is told on the page.
    void attach(const std::string& campaign);
    /// Shows the newest that runs where none is shown, whoever began it; looks again every second.
    void follow();
    void ask(events::Request request);
    [[nodiscard]] bool attached() const { return notifier_ != nullptr; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void wait_for(Result<BegunCampaign> begun);
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
    std::optional<BegunCampaign> begun_;
    QTimer look_, draw_, follow_;
    Descriptor socket_;
    std::unique_ptr<QSocketNotifier> notifier_;
    events::Feed feed_;
    CampaignModel model_;
    std::string shown_; ///< the campaign that is attached, or was
    std::vector<std::string> listed_;
    bool changed_{};
    std::size_t cells_drawn_{}, lines_drawn_{};
    QElapsedTimer since_tables_;
    qint64 tables_rest_ms_{};
    std::map<std::string, std::unique_ptr<LaneRow>> rows_; ///< all of one form
    std::unique_ptr<LaneRow> whole_;                       ///< of one lane, where the others are small
    std::string chosen_;                                   ///< which
    QLabel *title_{}, *told_{};
    QComboBox* running_{};
    QPushButton *pause_{}, *stop_{};
    QVBoxLayout* lanes_{};
    QGridLayout* grid_{};
    QSplitter* parts_{};
    QPlainTextEdit *tables_{}, *log_{};
};

} // namespace mediarig::gui
