// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/claim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "host/base/text.hpp"
#include "host/media/identity/confirmation.hpp"

namespace mediarig::media {
namespace {

Error refused(const Medium& medium, const std::string& why) {
    return {Errc::refused, fmt::format("{} may not be erased: {}", medium.node, why)};
}

/// The next step that removes the reason; empty if no step makes the medium erasable.
std::string next_step(const std::vector<Refusal>& refusals) {
    const auto has = [&](RefusalKind kind) {
        return std::any_of(refusals.begin(), refusals.end(), [&](const Refusal& each) { return each.kind == kind; });
    };
    if (has(RefusalKind::system_disk) || has(RefusalKind::not_removable)) return {};
    if (has(RefusalKind::mounted)) return ": unmount it, then try again";
    if (has(RefusalKind::swap)) return ": run swapoff, then try again";
    if (has(RefusalKind::held)) return ": end that use (losetup -d for a loop device), then try again";
    return {};
}

std::string in_one_line(const std::vector<Refusal>& refusals) {
    std::string line;
    for (const Refusal& refusal : refusals) line += (line.empty() ? "" : "; ") + refusal.detail;
    return line + next_step(refusals);
}

/// Excludes the PCIe link: its speed changes with power saving.
std::string name_of_nvme(const Medium& medium) {
    return medium.nvme ? medium.nvme->model + '|' + medium.nvme->serial + '|' + medium.nvme->firmware : std::string();
}

/// Returns the first identity field that differs between `then` and `now`; empty if both are the same device.
std::optional<std::string> difference(const Medium& then, const Medium& now) {
    if (now.number != then.number) return fmt::format("device number {}:{}", now.number.major, now.number.minor);
    if (now.disk_sequence != then.disk_sequence) return fmt::format("disk sequence {}", now.disk_sequence);
    if (now.size != then.size) return fmt::format("size {} bytes", now.size.count);
    if (now.serial != then.serial) return fmt::format("serial '{}'", now.serial);
    if (now.sysfs_path != then.sysfs_path) return fmt::format("place {}", now.sysfs_path);
    if (now.transport != then.transport || now.vendor != then.vendor || now.model != then.model ||
        now.revision != then.revision)
        return fmt::format("model '{} {} {}'", now.vendor, now.model, now.revision);
    if (now.backing_file != then.backing_file) return fmt::format("backing file {}", now.backing_file);
    if (now.logical_sector != then.logical_sector) return fmt::format("sector size {}", now.logical_sector);
    if (now.usb != then.usb || now.scsi != then.scsi || now.sd != then.sd || name_of_nvme(now) != name_of_nvme(then))
        return "its descriptors or registers changed";
    return std::nullopt;
}

/// Fails if the opened device is not the identified device.
Result<void> check_identified(const Medium& medium, const NodeFacts& facts) {
    if (facts.number != medium.number)
        return fail(
            refused(medium, fmt::format("the opened device is {}:{}, the identified one is {}:{}", facts.number.major,
                                        facts.number.minor, medium.number.major, medium.number.minor)));
    if (facts.disk_sequence != medium.disk_sequence)
        return fail(refused(
            medium,
            fmt::format("another disk has this name now: its disk sequence is {}, that of the identified disk was {}",
                        facts.disk_sequence, medium.disk_sequence)));
    if (const SizeTexts sizes = size_texts(facts.size, medium.size); facts.size != medium.size)
        return fail(refused(
            medium, fmt::format("its size is {}, but was {} when it was identified", sizes.first, sizes.second)));
    if (facts.read_only) return fail(refused(medium, "the kernel marks the device as write-protected"));
    return {};
}

/// Compares the facts of the open descriptor with the facts at the time of the claim. Uses the exclusive descriptor, or
/// the read-only one while the device is released.
Result<void> check_judged(const Medium& medium, const NodeFacts& judged, OpenNode& open) {
    const auto now = open.facts();
    if (!now) return fail(now.error());
    if (*now == judged) return {};
    if (now->loop != judged.loop)
        return fail(refused(medium, "the range of this loop device was changed: claim it again"));
    if (auto identified = check_identified(medium, *now); !identified) return identified;
    return fail(refused(medium, "it is another device now: claim it again"));
}

Result<void> check_content(const Medium& medium, OpenNode& open, Contents contents) {
    const auto signatures = open.signatures();
    if (!signatures) return fail(refused(medium, "its signatures could not be read: " + signatures.error().detail));
    std::vector<Refusal> found;
    for (const Signature& signature : signatures->found) {
        const std::string carrier =
            signature.offset == 0_B ? medium.node : fmt::format("{} at byte {}", medium.node, signature.offset.count);
        if (auto refusal = refusal_for(signature, carrier)) found.push_back(std::move(*refusal));
    }
    if (auto refusal = refusal_for_remains(signatures->remains, medium, contents)) found.push_back(std::move(*refusal));
    if (auto refusal = refusal_for(signatures->unreadable, medium, contents)) found.push_back(std::move(*refusal));
    if (!found.empty()) return fail(refused(medium, in_one_line(found)));
    return {};
}

/// Identifies the target again after the device was opened. The identity must be unchanged.
Result<void> check_identity_again(Discovery& discovery, const std::string& target, const Medium& medium,
                                  const std::string& confirmation, const OwnDevices& own) {
    const auto now = discovery.identify(target, own);
    if (!now) {
        const bool doubt = now.error().code == Errc::refused || now.error().code == Errc::no_permission;
        return fail(
            doubt ? Errc::refused : Errc::no_medium,
            fmt::format("{} cannot be identified any more, nothing was written: {}", medium.node, now.error().detail));
    }
    if (const auto changed = difference(medium, *now))
        return fail(refused(medium, fmt::format("{} is another device now: {}", target, *changed)));
    return check_permission(*now, confirmation);
}

/// The layers that need the open device, in the order of docs/reference/safety.md.
Result<void> check_held_device(Discovery& discovery, const std::string& target, const Medium& medium,
                               const std::string& confirmation, const ClaimTerms& terms, const NodeFacts& judged,
                               OpenNode& open, bool reads_signatures = true) {
    if (auto held = open.hold(); !held) {
        if (held.error().code != Errc::refused) return held;
        return fail(refused(medium, held.error().detail));
    }
    if (auto alone = open.check_no_writer(terms.use); !alone) {
        if (alone.error().code != Errc::refused) return alone;
        return fail(refused(medium, alone.error().detail));
    }
    if (auto same = check_judged(medium, judged, open); !same) return same;
    if (reads_signatures)
        if (auto content = check_content(medium, open, terms.contents); !content) return content;
    if (auto same = check_identity_again(discovery, target, medium, confirmation, terms.own); !same) return same;
    // Check again: the device may have changed during the checks above.
    return check_judged(medium, judged, open);
}

} // namespace

/// Checks refusals first, because a confirmation lifts no refusal except `ambiguous`, which depends on the
/// confirmation.
Result<void> check_permission(const Medium& medium, const std::string& confirmation) {
    if (medium.transport == Transport::image)
        return fail(
            Errc::bad_request,
            fmt::format("{} is an image file: attach it to a loop device and claim the loop device", medium.node));
    const std::vector<Refusal> standing = permanent_refusals(medium, confirmation);
    if (!standing.empty()) return fail(refused(medium, in_one_line(standing)));
    // An accepted port confirmation distinguishes two devices with the same serial, so the serial is not checked.
    if (!medium.refusals.empty()) return {};
    return check_confirmation(medium, confirmation);
}

Result<void> check_confirmation(const Medium& medium, const std::string& confirmation) {
    if (confirmation.empty())
        return fail(
            refused(medium,
                    "no confirmation was given: give the serial, or the path if there is no serial, as shown by "
                    "'mediarig devices' or 'mediarig lab devices'"));
    if (confirmation == confirmation_of(medium)) return {};
    const std::string& image = medium.transport == Transport::image ? medium.node : medium.backing_file;
    return fail(refused(medium, medium.serial.empty() && !image.empty()
                                    ? "the confirmation does not match: type the path of its image file, " + image
                                    : "the confirmation does not match: type it as shown by "
                                      "'mediarig devices' or 'mediarig lab devices'"));
}

ErasableMedium::ErasableMedium(Medium medium, std::string confirmation, ClaimTerms terms, NodeFacts judged,
                               std::unique_ptr<OpenNode> open)
    : medium_(std::move(medium)),
      confirmation_(std::move(confirmation)),
      terms_(std::move(terms)),
      judged_(std::move(judged)),
      open_(std::move(open)) {}
ErasableMedium::ErasableMedium(ErasableMedium&&) noexcept = default;
ErasableMedium& ErasableMedium::operator=(ErasableMedium&&) noexcept = default;
ErasableMedium::~ErasableMedium() = default;

int ErasableMedium::descriptor() const {
    return open_ ? open_->held_descriptor() : -1;
}

int ErasableMedium::reading_descriptor() const {
    return open_ ? open_->descriptor() : -1;
}

Result<void> ErasableMedium::check_same() const {
    if (!open_)
        return fail(refused(medium_, "an earlier check of this claim failed, claim it again: " + void_because_));
    return check_judged(medium_, judged_, *open_);
}

std::optional<Error> ErasableMedium::change_by_host() const {
    if (!open_ || (medium_.transport != Transport::loop && medium_.transport != Transport::zram)) return std::nullopt;
    const auto now = open_->facts();
    if (!now) return std::nullopt;
    const auto discarded = [&](std::string_view change) {
        return Error{Errc::host_fault,
                     fmt::format("{} {} during the test: the results are discarded; end the program that changed it, "
                                 "then try again",
                                 medium_.node, change)};
    };
    if (now->read_only && !judged_.read_only) return discarded("was made read-only");
    // A detached loop device has no range: that is a removed medium.
    if (now->loop && now->loop != judged_.loop) return discarded("got another range of its file");
    return std::nullopt;
}

Result<void> ErasableMedium::check_no_writer() const {
    return open_ ? open_->check_no_writer(terms_.use) : check_same();
}

Result<void> ErasableMedium::recheck(Discovery& discovery) {
    return recheck(discovery, true);
}

Result<void> ErasableMedium::recheck_use(Discovery& discovery) {
    return recheck(discovery, false);
}

Result<void> ErasableMedium::recheck(Discovery& discovery, bool reads_signatures) {
    if (!open_) return check_same();
    // Uses the node, not the target that the user typed: a link in /dev may have changed since the claim.
    auto still =
        check_held_device(discovery, medium_.node, medium_, confirmation_, terms_, judged_, *open_, reads_signatures);
    if (!still) make_void(still.error());
    return still;
}

Result<void> ErasableMedium::release() {
    return open_ ? open_->release() : check_same();
}

Result<void> ErasableMedium::reacquire() {
    if (!open_) return check_same();
    if (auto held = open_->hold(); !held) return held;
    auto same = check_same();
    if (!same) make_void(same.error());
    return same;
}

void ErasableMedium::make_void(const Error& reason) {
    void_because_ = reason.detail;
    open_.reset();
}

Result<ErasableMedium> claim_erasable(Discovery& discovery, Nodes& nodes, const std::string& target,
                                      const std::string& confirmation, ClaimTerms terms) {
    auto medium = discovery.identify(target, terms.own);
    if (!medium) return fail(medium.error());
    if (auto allowed = check_permission(*medium, confirmation); !allowed) return fail(allowed.error());

    auto open = nodes.open(medium->node);
    if (!open) return fail(open.error());
    auto judged = (*open)->facts();
    if (!judged) return fail(judged.error());
    if (auto same = check_identified(*medium, *judged); !same) return fail(same.error());
    if (auto held = check_held_device(discovery, target, *medium, confirmation, terms, *judged, **open); !held)
        return fail(held.error());
    return ErasableMedium(std::move(*medium), confirmation, std::move(terms), std::move(*judged), std::move(*open));
}

} // namespace mediarig::media
