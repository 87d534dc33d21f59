// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/campaign_list.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "host/app/device_choice.hpp"
#include "host/app/files/campaign_lock.hpp"
#include "host/app/files/nickname_file.hpp"
#include "host/app/files/paths.hpp"
#include "host/app/files/text_file.hpp"
#include "host/base/descriptor.hpp"
#include "host/base/json/json_text.hpp"
#include "host/base/replace_file.hpp"
#include "host/base/text.hpp"
#include "host/campaign/comparison/recorded_comparison.hpp"
#include "host/store/campaign_id.hpp"
#include "host/store/sqlite/open_store.hpp"

namespace mediarig::app {
namespace {

namespace fs = std::filesystem;
using store::ListedCampaign;
using Campaigns = std::vector<ListedCampaign>;

/// Suffixes of the files that SQLite may leave next to a store that was not closed.
constexpr const char* beside_store[] = {"", "-wal", "-shm"};

Result<Campaigns> listed_in(store::Archive& archive, const fs::path& database, const std::string& only = {}) {
    auto campaigns = archive.list(only);
    if (!campaigns) return campaigns;
    for (ListedCampaign& campaign : *campaigns)
        if (campaign.state == store::CampaignState::running && !CampaignLock::is_held(database, campaign.id))
            campaign.state = store::CampaignState::interrupted;
    const Nicknames names = nicknames_to_show();
    for (ListedCampaign& campaign : *campaigns)
        for (store::ListedDevice& device : campaign.devices) device.nickname = names.of(device.confirmation);
    return campaigns;
}

bool has_device(const ListedCampaign& campaign, const std::string& word) {
    return std::any_of(campaign.devices.begin(), campaign.devices.end(),
                       [&](const store::ListedDevice& device) { return is_called(words_of(device), word); });
}

template <class Holds>
const ListedCampaign* newest(const Campaigns& campaigns, Holds holds) {
    const auto found = std::find_if(campaigns.begin(), campaigns.end(), holds);
    return found == campaigns.end() ? nullptr : &*found;
}

Result<const ListedCampaign*> by_beginning(const Campaigns& campaigns, const std::string& word) {
    const auto begins = [&](const ListedCampaign& campaign) { return campaign.id.starts_with(word); };
    const auto count = std::count_if(campaigns.begin(), campaigns.end(), begins);
    if (count > 1)
        return fail(
            Errc::bad_request,
            fmt::format("'{}' is the beginning of the ids of {} campaigns: type more characters, or the number that "
                        "'mediarig campaigns' shows",
                        word, count));
    return newest(campaigns, begins);
}

/// Finds a campaign by a name that the list shows shortened: "november …". The name must match exactly one campaign.
Result<const ListedCampaign*> by_cut_name(const Campaigns& campaigns, const std::string& word) {
    constexpr std::string_view cut = "…";
    if (word.size() <= cut.size() || !word.ends_with(cut)) return nullptr;
    const std::string_view kept = std::string_view(word).substr(0, word.size() - cut.size());
    const auto begins = [&](const ListedCampaign& campaign) { return campaign.name.starts_with(kept); };
    const auto count = std::ranges::count_if(campaigns, begins);
    if (count > 1)
        return fail(Errc::bad_request, fmt::format("the names of {} campaigns begin with '{}': give the number that "
                                                   "'mediarig campaigns' shows",
                                                   count, kept));
    return newest(campaigns, begins);
}

bool is_store(const fs::path& file) {
    std::error_code unknown;
    return fs::is_regular_file(file, unknown) && store::Archive::open_to_read(file);
}

/// Checks that the output may be written: only a store may be overwritten, but not the store that is being read.
Result<void> check_export(const fs::path& database, const fs::path& file, Existing existing) {
    if (file.empty()) return fail(Errc::bad_request, "the name of the file to write is empty; name a file");
    if (auto other = check_not_own(file); !other) return other;
    std::error_code unknown;
    const fs::file_status there = fs::status(file, unknown);
    if (!fs::exists(there)) return {};
    if (!fs::is_regular_file(there))
        return fail(Errc::bad_request, fmt::format("{} is not a file: name one to be written", file.string()));
    if (fs::equivalent(database, file, unknown))
        return fail(Errc::bad_request, fmt::format("{} is the store itself: name another file", file.string()));
    if (existing == Existing::kept)
        return fail(Errc::bad_request,
                    fmt::format("{} exists already: name another file, or replace it with --force", file.string()));
    if (!fs::is_empty(file, unknown) && !is_store(file))
        return fail(
            Errc::bad_request,
            fmt::format("{} exists and is not a store: it was not changed; choose another name", file.string()));
    if (fs::is_empty(file, unknown)) return {};
    // An export contains one campaign and is not in use: refuse to replace any other store.
    const auto campaigns = list_campaigns(file);
    if (!campaigns) return fail(campaigns.error());
    const bool in_use = std::any_of(campaigns->begin(), campaigns->end(), [](const ListedCampaign& campaign) {
        return campaign.state == store::CampaignState::running;
    });
    if (in_use || campaigns->size() > 1)
        return fail(Errc::refused,
                    fmt::format("{} is a store {}: it was not changed; choose another name", file.string(),
                                in_use ? "in use" : fmt::format("of {} campaigns", campaigns->size())));
    return {};
}

/// Creates an empty file in the folder of `file` under a new, unique name.
Result<fs::path> make_part_of(const fs::path& file) {
    std::string name = file.string() + ".part-XXXXXX";
    const Descriptor made(::mkostemp(name.data(), O_CLOEXEC));
    if (made) return fs::path(name);
    return fail(Errc::bad_request,
                fmt::format("{} cannot be written: {}; choose another place", file.string(), std::strerror(errno)));
}

void remove_store(const fs::path& file) {
    std::error_code none;
    for (const char* ending : beside_store) fs::remove(file.string() + ending, none);
}

/// A file that cannot be imported is a wrong argument: returns bad_request.
Error cannot_be_taken(std::string why) {
    return {Errc::bad_request, std::move(why) + ": nothing is imported; export it again with mediarig"};
}

/// Limits for names of campaigns, lots, devices and serials, in bytes. A plan's names have at most 200, and media
/// report less.
constexpr std::size_t longest_name = 1000, shown_of_a_name = 60;

/// Returns the first name that is too long; null if all names can be shown.
const std::string* too_long(const ListedCampaign& campaign) {
    const auto is_long = [](const std::string& name) { return name.size() > longest_name; };
    if (is_long(campaign.name)) return &campaign.name;
    for (const store::ListedDevice& device : campaign.devices)
        for (const std::string* name :
             {&device.key, &device.name, &device.lot, &device.model, &device.serial, &device.confirmation})
            if (is_long(*name)) return name;
    for (const auto* list : {&campaign.formats, &campaign.suites})
        if (const auto found = std::ranges::find_if(*list, is_long); found != list->end()) return &*found;
    return nullptr;
}

/// Refuses names that no command could display: a file may come from any source.
Result<void> check_decodes(const fs::path& file, const Campaigns& campaigns) {
    auto store = store::open_store_read_only(file, store::about_an_export);
    if (!store) return fail(store.error());
    for (const ListedCampaign& campaign : campaigns) {
        if (!store::is_campaign_id(campaign.id))
            return fail(
                cannot_be_taken(fmt::format("{}: '{}' is not the id of a campaign", file.string(),
                                            printable(std::string_view(campaign.id).substr(0, shown_of_a_name)))));
        if (const std::string* const name = too_long(campaign))
            return fail(
                cannot_be_taken(fmt::format("{}: a name of campaign {} is {} bytes long, and at most {} are "
                                            "allowed ({}…)",
                                            file.string(), campaign.id, name->size(), longest_name,
                                            printable(std::string_view(*name).substr(0, shown_of_a_name)))));
        const auto whole = (*store)->load(campaign.id);
        if (!whole) return fail(cannot_be_taken(whole.error().detail));
        if (codec::read_json(whole->campaign.plan).is_discarded())
            return fail(
                cannot_be_taken(fmt::format("{}: the plan of campaign {} is not JSON", file.string(), campaign.id)));
    }
    return {};
}

/// Ids of the campaigns that compare formats.
Result<std::set<std::string>> comparing_campaigns(const fs::path& database) {
    const auto store = store::open_store_read_only(database);
    if (!store) return fail(store.error());
    const auto records = (*store)->campaigns();
    if (!records) return fail(records.error());
    std::set<std::string> ids;
    for (const store::CampaignRecord& campaign : *records)
        if (comparison_campaign::compared_plan(campaign)) ids.insert(campaign.id);
    return ids;
}

Result<Campaigns> list(const fs::path& database, const std::string& only) {
    if (auto there = check_store_exists(database); !there) return fail(there.error());
    auto archive = store::Archive::open_to_read(database);
    if (!archive) return fail(archive.error());
    return listed_in(*archive, database, only);
}

} // namespace

Result<Campaigns> list_campaigns(const fs::path& database) {
    return list(database, {});
}

Result<ListedCampaign> choose_campaign(const Campaigns& campaigns, const std::string& word) {
    if (campaigns.empty()) return fail(Errc::bad_request, "the store contains no campaign: run a campaign first");
    if (word.empty() || word == "last") return campaigns.front();
    // Check for a complete id first: then the caller has already resolved the campaign.
    const ListedCampaign* found =
        newest(campaigns, [&](const ListedCampaign& campaign) { return campaign.id == word; });
    if (!found)
        found =
            newest(campaigns, [&](const ListedCampaign& campaign) { return std::to_string(campaign.number) == word; });
    if (!found) found = newest(campaigns, [&](const ListedCampaign& campaign) { return campaign.name == word; });
    if (!found) found = newest(campaigns, [&](const ListedCampaign& campaign) { return has_device(campaign, word); });
    if (!found) {
        const auto begins = by_beginning(campaigns, word);
        if (!begins) return fail(begins.error());
        found = *begins;
    }
    if (!found) {
        const auto begins = by_cut_name(campaigns, word);
        if (!begins) return fail(begins.error());
        found = *begins;
    }
    if (found) return *found;
    return fail(Errc::bad_request,
                fmt::format("no campaign has the number, id, name or device '{}': 'mediarig campaigns' lists "
                            "them",
                            word));
}

Result<ListedCampaign> find_campaign(const fs::path& database, const std::string& word) {
    // A complete id needs no list of all campaigns: finding it must be fast in large stores.
    if (store::is_campaign_id(word))
        if (const auto one = list(database, word); one && one->size() == 1) return one->front();
    const auto campaigns = list_campaigns(database);
    if (!campaigns) return fail(campaigns.error());
    auto found = choose_campaign(*campaigns, word);
    if (!found) found.error().detail = fmt::format("{}: {}", database.string(), found.error().detail);
    return found;
}

Result<ListedCampaign> find_comparison(const fs::path& database, const std::string& word) {
    auto all = list_campaigns(database);
    if (!all) return fail(all.error());
    const auto comparing = comparing_campaigns(database);
    if (!comparing) return fail(comparing.error());
    Campaigns comparisons = *all;
    std::erase_if(comparisons, [&](const ListedCampaign& campaign) { return !comparing->contains(campaign.id); });
    if (!comparisons.empty())
        if (auto found = choose_campaign(comparisons, word)) return found;
    auto other = choose_campaign(*all, word);
    if (!other) {
        other.error().detail = fmt::format("{}: {}", database.string(), other.error().detail);
        return other;
    }
    if (word.empty() || word == "last")
        return fail(Errc::bad_request, fmt::format("{}: no campaign in it compares formats: run mediarig compare, or a "
                                                   "plan with a \"compare\", first",
                                                   database.string()));
    return fail(Errc::bad_request,
                fmt::format("campaign {} has no comparison: 'mediarig campaigns' lists all campaigns", other->id));
}

bool is_campaign_starting(const fs::path& database) {
    const auto campaigns = list_campaigns(database);
    if (!campaigns) return false;
    std::vector<std::string> ids;
    for (const ListedCampaign& campaign : *campaigns) ids.push_back(campaign.id);
    return CampaignLock::any_other_is_held(database, ids);
}

Result<ListedCampaign> delete_campaign(const fs::path& database, const std::string& word) {
    auto found = find_campaign(database, word);
    if (!found) return found;
    const auto lock = CampaignLock::take(database, found->id);
    if (!lock) return fail(lock.error());
    auto archive = store::Archive::open(database);
    if (!archive) return fail(archive.error());
    if (auto removed = archive->remove(found->id); !removed) return fail(removed.error());
    if (auto removed = remove_lab_media(lab_media_folder(database, found->id)); !removed) return fail(removed.error());
    return found;
}

Result<ListedCampaign> export_campaign(const fs::path& database, const std::string& word, const fs::path& file,
                                       Existing existing) {
    auto found = find_campaign(database, word);
    if (!found) return found;
    // An export of a running campaign would look like an export of a complete campaign.
    if (found->state == store::CampaignState::running)
        return fail(Errc::refused,
                    fmt::format("campaign {} is running: wait for its end, then export it", found->number));
    if (auto possible = check_export(database, file, existing); !possible) return fail(possible.error());
    auto from = store::Archive::open_to_read(database);
    if (!from) return fail(from.error());
    std::error_code failed;
    const bool is_new = !fs::exists(file, failed);
    // Atomic: the new file replaces the old file only when the new file is complete.
    const auto part = make_part_of(file);
    if (!part) return fail(part.error());
    Result<void> copied;
    if (auto to = store::Archive::open(*part))
        copied = to->take_over(*from, found->id, store::CampaignOrigin::here);
    else
        copied = fail(to.error());
    if (copied && is_new)
        failed = {rename_to_new(*part, file), std::generic_category()};
    else if (copied)
        fs::rename(*part, file, failed);
    if (copied && !failed) return found;
    remove_store(*part);
    if (!copied) return fail(copied.error());
    if (failed == std::errc::file_exists)
        return fail(
            Errc::bad_request,
            fmt::format("{} was created by another program: it was not changed; name another file", file.string()));
    return fail(Errc::store_failed, fmt::format("{} cannot be written: {}", file.string(), failed.message()));
}

Result<ImportResult> import_campaigns(const fs::path& database, const fs::path& file) {
    if (auto there = check_store_exists(file); !there)
        return fail(there.error().code, fmt::format("{} does not exist: check the name", file.string()));
    auto from = store::Archive::open_to_read(file, store::about_an_export);
    if (!from) return fail(from.error());
    const auto wanted = listed_in(*from, file);
    if (!wanted) return fail(wanted.error());
    if (auto numbers = from->check_numbers(); !numbers)
        return fail(numbers.error().code == Errc::bad_request ? cannot_be_taken(numbers.error().detail)
                                                              : numbers.error());
    if (auto decodes = check_decodes(file, *wanted); !decodes) return fail(decodes.error());
    for (const ListedCampaign& campaign : *wanted)
        if (campaign.state == store::CampaignState::running)
            return fail(Errc::refused, fmt::format("campaign {} of {} is running: wait for its end, then import it",
                                                   campaign.number, file.string()));
    if (auto made = make_folder_of(database); !made) return fail(made.error());
    auto to = store::Archive::open(database);
    if (!to) return fail(to.error());
    if (auto alike = to->check_tables_of(*from); !alike) return fail(alike.error());
    const auto here = to->list();
    if (!here) return fail(here.error());
    const auto has = [](const Campaigns& campaigns, const std::string& id) {
        return newest(campaigns, [&](const ListedCampaign& each) { return each.id == id; });
    };
    ImportResult result;
    // Import the oldest first, so that numbers follow time.
    for (auto campaign = wanted->rbegin(); campaign != wanted->rend(); ++campaign) {
        if (has(*here, campaign->id)) {
            ++result.known;
            continue;
        }
        if (auto taken = to->take_over(*from, campaign->id, store::CampaignOrigin::elsewhere); !taken)
            return fail(taken.error());
        result.taken.push_back(*campaign);
    }
    const auto now = listed_in(*to, database);
    if (!now) return fail(now.error());
    for (ListedCampaign& taken : result.taken) taken = *has(*now, taken.id);
    return result;
}

} // namespace mediarig::app
