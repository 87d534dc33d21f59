// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/io_errors.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace mediarig::workload {
namespace {

using measure::Finding;
using measure::FindingKind;
using measure::Severity;

std::string text_of(int error) {
    return std::generic_category().message(error);
}

bool same_kind_and_touching(const Finding& a, const Finding& b) {
    return a.kind == b.kind && a.detail == b.detail && a.offset && b.offset &&
           b.offset->count <= a.offset->count + a.length.count;
}

} // namespace

std::optional<Error> fault_of_host(int error) {
    // A limit of this process or a quota of its user refused the write; it never reached the medium.
    if (error == EFBIG || error == EDQUOT)
        return Error{Errc::no_permission, "a limit or quota of this machine forbids the write (" + text_of(error) +
                                              "), which is not a fault of the medium; lift it, then start again"};
    // No medium returns these errors: a file-system driver outside the kernel ended or was killed.
    if (error == ECONNABORTED || error == ENOTCONN)
        return Error{Errc::host_fault, "the connection to the file system's driver was lost (" + text_of(error) +
                                           "), which is not a fault of the medium; try again"};
    return {};
}

bool LossTest::lost(int error) {
    constexpr std::uint64_t first = 4, later = 16;
    ++failures_;
    if (says_gone(error) || (gone_ && gone_())) return true;
    return responds_ && (failures_ <= first || failures_ % later == 0) && !responds_();
}

void IoErrors::note_loss(bool writing, std::uint64_t offset, std::uint64_t length, const std::string& reason) {
    lost_ = true;
    keep({.kind = FindingKind::medium_lost,
          .severity = Severity::fault,
          .detail = std::string("the medium vanished or stopped answering during a ") + (writing ? "write" : "read") +
                    " (" + reason + "): check contact and power",
          .offset = Bytes{offset},
          .length = {length}});
}

void IoErrors::add_time(std::chrono::nanoseconds took) {
    if (failures_ != nullptr)
        failures_->add_time(took);
    else
        took_ += took;
}

bool IoErrors::took_too_long() const {
    return policy_ == OnIoError::bounded && (failures_ != nullptr ? failures_->took() : took_) >= longest_failing;
}

bool IoErrors::failed_flush(std::chrono::nanoseconds took) {
    add_time(took);
    return !took_too_long();
}

bool IoErrors::failed_in_parts(bool writing, std::uint64_t offset, int error, std::chrono::nanoseconds took) {
    add_time(took);
    if (failures_ != nullptr) failures_->add(writing, offset, error);
    return !took_too_long();
}

bool IoErrors::failed(bool writing, std::uint64_t offset, std::uint64_t length, int error,
                      std::chrono::nanoseconds took) {
    ++count_;
    add_time(took);
    if (failures_ != nullptr) failures_->add(writing, offset, error);
    if (first_error_ == 0) first_error_ = error;
    if (writing && host_fault_ && !host_error_) host_error_ = host_fault_({length});
    if (!host_error_) host_error_ = fault_of_host(error);
    if (host_error_) return false;
    const std::string what = writing ? "write" : "read";
    if (error == ENOSPC) {
        full_ = true;
        keep({.kind = FindingKind::medium_full,
              .severity = Severity::fault,
              .detail = "no space left for a write inside the test file: the file system cannot overwrite in place, or "
                        "another program fills it",
              .offset = Bytes{offset},
              .length = {length}});
        return false;
    }
    if (loss_.lost(error)) {
        note_loss(writing, offset, length, text_of(error));
        return false;
    }
    keep({.kind = FindingKind::io_error,
          .severity = Severity::fault,
          .detail = what + " failed: " + text_of(error),
          .offset = Bytes{offset},
          .length = {length}});
    return goes_on();
}

bool IoErrors::record_short_transfer(bool writing, std::uint64_t offset, std::uint64_t asked, std::uint64_t moved) {
    ++count_;
    if (failures_ != nullptr) failures_->add(writing, offset + moved, 0);
    if (moved == 0 && loss_.lost(0)) {
        note_loss(writing, offset, asked, "nothing was transferred");
        return false;
    }
    keep({.kind = FindingKind::short_transfer,
          .severity = Severity::fault,
          .detail = std::string(writing ? "write" : "read") + " moved fewer bytes than requested",
          .offset = Bytes{offset + moved},
          .length = {asked - moved}});
    return goes_on();
}

void IoErrors::keep(Finding finding) {
    // Consecutive failing transfers extend one finding. Failing random transfers are merged in take_findings().
    if (!kept_.empty() && same_kind_and_touching(kept_.back(), finding) &&
        *finding.offset >= *kept_.back().offset + kept_.back().length) {
        kept_.back().length += finding.length;
        ++kept_.back().count;
        return;
    }
    if (kept_.size() >= most_places) {
        ++beyond_;
        return;
    }
    kept_.push_back(std::move(finding));
}

measure::Findings IoErrors::take_findings() {
    std::stable_sort(kept_.begin(), kept_.end(),
                     [](const Finding& a, const Finding& b) { return a.offset < b.offset; });
    measure::Findings merged;
    for (Finding& finding : kept_) {
        if (!merged.empty() && same_kind_and_touching(merged.back(), finding)) {
            Finding& last = merged.back();
            const Bytes end = std::max(*last.offset + last.length, *finding.offset + finding.length);
            last.length = end - *last.offset;
            last.count += finding.count;
        } else {
            merged.push_back(std::move(finding));
        }
    }
    if (beyond_ > 0)
        merged.push_back({.kind = FindingKind::io_error,
                          .severity = Severity::fault,
                          .detail = "more failed transfers than are listed individually",
                          .offset = {},
                          .length = {},
                          .count = beyond_});
    kept_.clear();
    beyond_ = 0;
    return merged;
}

Error error_from(int error, const std::string& what) {
    const std::string text = "cannot " + what + ": " + std::generic_category().message(error);
    if (says_gone(error)) return {Errc::no_medium, text + "; check contact and power, then start again"};
    switch (error) {
        case EACCES:
        case EPERM:
            return {Errc::no_permission,
                    text + "; name a place that you may write to, or start mediarig as a user who may"};
        case ENOENT:
        case ENOTDIR:
            return {Errc::bad_request, text + "; name an existing directory or device"};
        case EROFS:
            return {Errc::io_failed, text + "; move the write-protect switch or mount the medium for writing"};
        case ENOSPC:
        case EDQUOT:
            return {Errc::io_failed, text + "; free some space or choose a smaller span"};
        case EFBIG:
            return {Errc::bad_request, text + "; the file system allows no file of this size: choose a smaller span"};
        default:
            return {Errc::io_failed, text + "; see the kernel's log"};
    }
}

bool says_gone(int error) {
#if defined(ENOMEDIUM)
    if (error == ENOMEDIUM) return true;
#endif
    return error == ENODEV || error == ENXIO || error == ESHUTDOWN;
}

} // namespace mediarig::workload
