// SPDX-License-Identifier: GPL-3.0-or-later
/// The proof that a medium may be erased. Only claim_erasable() creates this proof, and every destructive operation
/// requires it as an argument. docs/reference/safety.md gives reason and effect of each check.
#pragma once

#include <memory>
#include <string>

#include "host/base/result.hpp"
#include "host/media/claim/discovery.hpp"
#include "host/media/claim/node.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// Conditions of a claim besides target and confirmation. They apply to all checks of the claim.
struct ClaimTerms {
    OwnDevices own; ///< loop devices of the caller that show the same bytes (see Discovery::identify)
    Contents contents{Contents::must_be_known};
    Use use{Use::must_be_known};
};

/// Holds the device open with O_EXCL and with the locks that udev and other agents respect, until this object is
/// destroyed. For a mount, the driver needs the exclusive open: see release().
class ErasableMedium {
public:
    ErasableMedium(ErasableMedium&&) noexcept;
    ErasableMedium& operator=(ErasableMedium&&) noexcept;
    ErasableMedium(const ErasableMedium&) = delete;
    ErasableMedium& operator=(const ErasableMedium&) = delete;
    ~ErasableMedium();

    [[nodiscard]] const Medium& medium() const { return medium_; }
    /// Facts of the open device at the time of the claim. They must not change.
    [[nodiscard]] const NodeFacts& judged() const { return judged_; }
    /// Descriptor of the claimed device: O_RDWR, O_EXCL, O_CLOEXEC; owned by this object. -1 while the device is
    /// released (release()) and after a failed check.
    [[nodiscard]] int descriptor() const;
    /// Read-only descriptor, valid for the lifetime of this object; for callers that mount the device. A failed check
    /// closes the device: the result is then -1.
    [[nodiscard]] int reading_descriptor() const;
    /// Call this right before each destructive phase. Holds the device again if it was released; then checks that
    /// device number, diskseq, size, loop window and identity are unchanged and that the device has no refusal. Fails
    /// with refused or no_medium. A failure voids the proof permanently and closes the device.
    [[nodiscard]] Result<void> recheck(Discovery& discovery);
    /// Like recheck(), without reading the signatures on the medium. For mounts: the driver and the checker report
    /// damaged first sectors.
    [[nodiscard]] Result<void> recheck_use(Discovery& discovery);
    /// Checks with the open device only that it is still the claimed device: a part of recheck(). Takes some
    /// microseconds, so long writes can call it often. Changes nothing. Fails with refused or no_medium.
    [[nodiscard]] Result<void> check_same() const;
    /// For devices of this machine's memory and files (loop, zram), which have no write protection: a host_fault if
    /// they were made read-only or their range was changed since the claim. Unset for all other devices and changes.
    [[nodiscard]] std::optional<Error> change_by_host() const;
    /// Searches all processes for a process that can write to the device by any node. Takes some 40 ms. Fails with
    /// refused; the error names the node and the process.
    [[nodiscard]] Result<void> check_no_writer() const;

    /// Closes the exclusive descriptor so that a driver can open the device; keeps the locks. Fails with io_failed if
    /// written data cannot be flushed to the medium.
    [[nodiscard]] Result<void> release();
    /// Opens the device exclusively again, immediately if the driver has ended. Fails with refused if another
    /// process holds the device (try again) or if the device has changed (the proof is then void).
    [[nodiscard]] Result<void> reacquire();

private:
    friend Result<ErasableMedium> claim_erasable(Discovery&, Nodes&, const std::string&, const std::string&,
                                                 ClaimTerms);
    ErasableMedium(Medium medium, std::string confirmation, ClaimTerms terms, NodeFacts judged,
                   std::unique_ptr<OpenNode> open);
    [[nodiscard]] Result<void> recheck(Discovery& discovery, bool reads_signatures);
    void make_void(const Error& reason);
    Medium medium_;
    std::string confirmation_;
    ClaimTerms terms_;
    NodeFacts judged_;
    std::unique_ptr<OpenNode> open_; ///< null after the proof became void
    std::string void_because_;       ///< describes the failed check
};

/// Checks every refusal of `medium` and the confirmation, but does not open the device. Fails with refused.
[[nodiscard]] Result<void> check_permission(const Medium& medium, const std::string& confirmation);
/// Checks that the confirmation names this medium: the last check without an open device. For an image the confirmation
/// is the image's path, checked before the image is attached. Fails with refused.
[[nodiscard]] Result<void> check_confirmation(const Medium& medium, const std::string& confirmation);

/// Checks every layer that needs no rig: identity, refusals, confirmation text, locks and exclusive open, number and
/// diskseq of the open descriptor against the identified device, no other writer of any node of its stack, signatures
/// read through the descriptor, identity once more. Fails with refused (with every reason in one line), bad_request,
/// no_medium, no_permission. Writes nothing.
///
/// The confirmation must equal confirmation_of(medium). If another present device has the same serial (refusal
/// `ambiguous`), the confirmation must instead be port_confirmation_of(medium), "usb port path 1-2.3".
///
/// `contents` may permit signatures that read errors hide, and `use` may permit processes that cannot be inspected;
/// neither lifts another refusal.
///
/// The caller attaches an image file to a loop device first (see image/loop.hpp), then claims the loop device with the
/// image's path as confirmation.
[[nodiscard]] Result<ErasableMedium> claim_erasable(Discovery& discovery, Nodes& nodes, const std::string& target,
                                                    const std::string& confirmation, ClaimTerms terms = {});
/// Like claim_erasable() with `nodes`, on the device nodes of this machine (target mediarig::media_linux).
[[nodiscard]] Result<ErasableMedium> claim_erasable(Discovery& discovery, const std::string& target,
                                                    const std::string& confirmation, ClaimTerms terms = {});

} // namespace mediarig::media
