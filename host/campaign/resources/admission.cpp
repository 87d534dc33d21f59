// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/resources/admission.hpp"

#include <algorithm>
#include <list>
#include <utility>

#include "host/base/async/event.hpp"

namespace mediarig::campaign {
namespace {

using Line = std::list<std::vector<ResourceRequest>>;

bool have_one_in_common(const std::vector<ResourceRequest>& one, const std::vector<ResourceRequest>& other) {
    return std::any_of(one.begin(), one.end(), [&](const ResourceRequest& need) {
        return std::any_of(other.begin(), other.end(),
                           [&](const ResourceRequest& theirs) { return theirs.resource == need.resource; });
    });
}

} // namespace

struct Admission::State {
    struct Use {
        std::vector<ResourceRequest> resources;
        [[nodiscard]] std::size_t of(ResourceRequest::How how) const {
            return static_cast<std::size_t>(std::ranges::count(resources, how, &ResourceRequest::how));
        }
    };

    State(boost::asio::any_io_executor executor, std::map<std::string, unsigned> how_many,
          std::map<std::string, double> how_fast)
        : counts(std::move(how_many)), rates(std::move(how_fast)), changed(std::move(executor)) {}

    void take(const std::vector<ResourceRequest>& resources) {
        for (const ResourceRequest& need : resources) used[need.resource].resources.push_back(need);
    }
    void give_resources_back(const std::vector<ResourceRequest>& resources) {
        for (const ResourceRequest& need : resources) {
            auto& users = used[need.resource].resources;
            if (const auto mine = std::ranges::find(users, need); mine != users.end()) users.erase(mine);
        }
        changed.notify();
    }
    [[nodiscard]] bool carries(const Use& use, const ResourceRequest& more) const {
        const auto rate = rates.find(more.resource);
        if (rate == rates.end()) return false;
        double sum = more.rate;
        for (const ResourceRequest& need : use.resources) sum += need.rate;
        return sum <= rate->second;
    }
    [[nodiscard]] bool is_free(const ResourceRequest& need) const {
        const auto found = used.find(need.resource);
        if (found == used.end()) return true;
        const Use& use = found->second;
        const auto count = counts.find(need.resource);
        switch (need.how) {
            case ResourceRequest::How::alone:
                return use.resources.empty();
            case ResourceRequest::How::measured:
                return use.resources.empty() || (use.of(ResourceRequest::How::alone) == 0 && carries(use, need));
            case ResourceRequest::How::shared:
                return use.of(ResourceRequest::How::alone) == 0 &&
                       (use.of(ResourceRequest::How::measured) == 0 || carries(use, need));
            case ResourceRequest::How::one:
                break;
        }
        return use.of(ResourceRequest::How::alone) == 0 &&
               use.of(ResourceRequest::How::one) < (count == counts.end() ? 1 : count->second);
    }
    [[nodiscard]] bool may_enter(Line::const_iterator who) const {
        if (!std::all_of(who->begin(), who->end(), [&](const ResourceRequest& need) { return is_free(need); }))
            return false;
        // Without this check a queue of sharers would starve a request for exclusive use.
        return std::none_of(waiting.begin(), who, [&](const std::vector<ResourceRequest>& earlier) {
            return have_one_in_common(earlier, *who);
        });
    }

    std::map<std::string, unsigned> counts;
    std::map<std::string, double> rates;
    std::map<std::string, Use> used;
    Line waiting; ///< requests in the order of arrival
    Event changed;
};

Admission::Admission(boost::asio::any_io_executor executor, std::map<std::string, unsigned> counts,
                     std::map<std::string, double> rates)
    : state_(std::make_shared<State>(std::move(executor), std::move(counts), std::move(rates))) {}

Admission::Permit::Permit(std::shared_ptr<State> from, std::vector<ResourceRequest> resources)
    : from_(std::move(from)), resources_(std::move(resources)) {}

Admission::Permit& Admission::Permit::operator=(Permit&& other) noexcept {
    std::swap(from_, other.from_);
    std::swap(resources_, other.resources_);
    return *this;
}

Admission::Permit::~Permit() {
    if (from_) from_->give_resources_back(resources_);
}

boost::asio::awaitable<Admission::Permit> Admission::enter(std::vector<ResourceRequest> resources) {
    const std::shared_ptr<State> state = state_;
    /// Removes the request from the queue, however the wait ends.
    struct Place {
        State& state;
        Line::iterator at;
        ~Place() {
            state.waiting.erase(at);
            state.changed.notify();
        }
    };
    const Place place{*state, state->waiting.insert(state->waiting.end(), resources)};
    while (!state->may_enter(place.at)) co_await state->changed.wait();
    state->take(resources);
    Permit permit(state, std::move(resources));
    co_return permit;
}

} // namespace mediarig::campaign
