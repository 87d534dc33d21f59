// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/virtual/guest_cards.hpp"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <charconv>
#include <utility>

#include "host/lab/card/catalogue.hpp"

namespace mediarig::lab {
namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

class GuestCard final : public EmulatedCard {
public:
    GuestCard(asio::any_io_executor executor, std::shared_ptr<GuestCards> cards, std::string name)
        : executor_(std::move(executor)), cards_(std::move(cards)), name_(std::move(name)) {}
    GuestCard(const GuestCard&) = delete;
    GuestCard& operator=(const GuestCard&) = delete;
    ~GuestCard() override {
        if (stopped_) return;
        asio::co_spawn(
            executor_,
            [cards = cards_, name = name_]() -> asio::awaitable<void> {
                ModelRequest cut = OrderModel{name, command_line(PowerCut{})};
                (void)co_await cards->ask(std::move(cut));
                ModelRequest stop = StopModel{name};
                (void)co_await cards->ask(std::move(stop));
            },
            asio::detached);
    }

    MediumSource source() const override { return MediumSource::in_guest(name_); }
    const fs::path& control_socket() const override { return no_socket_; }

    asio::awaitable<Result<CardAnswer>> ask(CardCommand command) override {
        ModelRequest order = OrderModel{name_, command_line(command)};
        const auto text = co_await cards_->ask(std::move(order));
        if (!text) co_return fail(text.error());
        co_return parse_answer(*text);
    }

    asio::awaitable<Result<void>> stop() override {
        if (std::exchange(stopped_, true)) co_return Result<void>{};
        ModelRequest stop = StopModel{name_};
        auto stopped = co_await cards_->ask(std::move(stop));
        if (!stopped) co_return fail(std::move(stopped.error()));
        co_return Result<void>{};
    }

private:
    asio::any_io_executor executor_;
    std::shared_ptr<GuestCards> cards_;
    std::string name_;
    fs::path no_socket_;
    bool stopped_{false};
};

} // namespace

GuestCards::GuestCards(const asio::any_io_executor& executor, std::shared_ptr<GuestLine> line, fs::path media,
                       std::function<void(std::string)> on_storage_failure)
    : line_(std::move(line)),
      media_(std::move(media)),
      on_storage_failure_(std::move(on_storage_failure)),
      changed_(executor) {}

void GuestCards::listen() {
    line_->on_received([weak = weak_from_this()](std::string_view bytes) {
        if (const auto self = weak.lock()) self->receive(bytes);
    });
}

void GuestCards::receive(std::string_view bytes) {
    framer_.push(bytes);
    while (const auto frame = framer_.next()) {
        auto message = parse_model_message(frame->text);
        // Noise of the line: without its answer, the request ends with the machine.
        if (!message) continue;
        if (const auto* failure = std::get_if<StorageFailure>(&*message)) {
            on_storage_failure_(
                fmt::format("this computer could not store the data of {} in {}: {}; free some space "
                            "there, or store it elsewhere; this is not a fault of the medium",
                            failure->card, media_.string(), failure->reason));
            continue;
        }
        auto& answer = std::get<ModelAnswer>(*message);
        answers_.insert_or_assign(answer.id, std::move(answer.text));
        changed_.notify();
    }
}

asio::awaitable<Result<std::string>> GuestCards::ask(ModelRequest request) {
    const auto self = shared_from_this();
    const std::uint64_t id = ++last_id_;
    if (!ended_) line_->send(model_request_line({id, std::move(request)}) + '\n');
    while (!ended_ && !answers_.contains(id)) co_await changed_.wait();
    if (ended_) co_return fail(*ended_);
    auto answer = answers_.extract(id);
    co_return std::move(answer.mapped());
}

asio::awaitable<Result<std::unique_ptr<EmulatedCard>>> GuestCards::start(CardMedium medium) {
    const auto self = shared_from_this();
    const auto text = find_card_config(medium.config);
    if (!text) co_return fail(text.error());
    if (medium.backing.parent_path() != media_)
        co_return fail(Errc::bad_request, fmt::format("{} is not in the folder {}, which the guest has",
                                                      medium.backing.string(), media_.string()));
    ModelRequest start = StartModel{.card = medium.name,
                                    .config = *text,
                                    .backing = medium.backing.filename().string(),
                                    .overrides = medium.overrides};
    auto started = co_await ask(std::move(start));
    if (!started) co_return fail(std::move(started.error()));
    std::uint64_t size = 0;
    std::from_chars(started->data(), started->data() + started->size(), size);
    sizes_[medium.name] = Bytes{size};
    co_return std::make_unique<GuestCard>(changed_.executor(), self, medium.name);
}

Result<Bytes> GuestCards::size_of(const std::string& card) const {
    const auto found = sizes_.find(card);
    if (found == sizes_.end()) return fail(Errc::bad_request, fmt::format("the card {} was not started", card));
    return found->second;
}

void GuestCards::end(Error why) {
    ended_ = std::move(why);
    line_->on_received(nullptr);
    changed_.notify();
}

} // namespace mediarig::lab
