// SPDX-License-Identifier: GPL-3.0-or-later
/// The proof that a medium may be erased. Only claim_erasable() makes one; everything destructive takes one.
/// Why each check is there and what it catches: docs/reference/safety.md.
#pragma once

#include <memory>
#include <string>

#include "host/base/result.hpp"
#include "host/media/claim/discovery.hpp"
#include "host/media/claim/node.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// What a claim is told besides target and confirmation, and holds for all its checks.
struct ClaimTerms {
    OwnDevices own; ///< loop devices of the asker's that show the same bytes (see Discovery::identify)
    Contents contents{Contents::must_be_known};
    Use use{Use::must_be_known};
};

/// Holds the device from the confirmation to its own end: exclusively open, with the locks by which udev and other
/// agents keep away. Only a mount needs the exclusive open for itself: see let_go().
class ErasableMedium {
public:
    ErasableMedium(ErasableMedium&&) noexcept;
    ErasableMedium& operator=(ErasableMedium&&) noexcept;
    ErasableMedium(const ErasableMedium&) = delete;
    ErasableMedium& operator=(const ErasableMedium&) = delete;
    ~ErasableMedium();

    [[nodiscard]] const Medium& medium() const { return medium_; }
    /// What the open device was when it was claimed, and has to stay.
    [[nodiscard]] const NodeFacts& judged() const { return judged_; }
    /// Open for reading and writing, O_EXCL, O_CLOEXEC; owned by this object: the descriptor that was judged. -1 while
    /// the device is let go of and after a failed check.
    [[nodiscard]] int descriptor() const;
    /// Open for reading alone, as long as the proof lives; for who mounts the device. -1 after a failed check.
    [[nodiscard]] int reading_descriptor() const;
    /// To be called right before each destructive phase: holds the device, again where it was let go of, and finds the
    /// same device number, diskseq, size, loop window and identity, still no refusal. Fails with refused or no_medium;
    /// after a failure the proof is void for good and the device closed.
    [[nodiscard]] Result<void> recheck(Discovery& discovery);
    /// The same but for the signatures on the medium: for a mount, where lost first sectors are the driver's and the
    /// checker's to tell.
    [[nodiscard]] Result<void> recheck_use(Discovery& discovery);
    /// The part of it that needs no look at the machine: the open device is the one that was judged. Some microseconds;
    /// for who writes for a long time. Changes nothing. Fails with refused or no_medium.
    [[nodiscard]] Result<void> check_same() const;

    /// Gives the exclusive open up, so that a driver can have the device; the locks stay. Fails with io_failed (what
    /// was written could not be brought to the medium).
    [[nodiscard]] Result<void> let_go();
    /// Takes it back, at once where the driver has ended. Fails with refused: somebody holds the device, try again; or
    /// it is another device by now, and the proof is void.
    [[nodiscard]] Result<void> take_back();

private:
    friend Result<ErasableMedium> claim_erasable(Discovery&, Nodes&, const std::string&, const std::string&,
                                                 ClaimTerms);
    ErasableMedium(Medium medium, std::string confirmation, ClaimTerms terms, NodeFacts judged,
                   std::unique_ptr<OpenNode> open);
    [[nodiscard]] Result<void> recheck(Discovery& discovery, bool reads_signatures);
    Medium medium_;
    std::string confirmation_;
    ClaimTerms terms_;
    NodeFacts judged_;
    std::unique_ptr<OpenNode> open_; ///< null once the proof is void
};

/// Whether nothing but the missing exclusive open speaks against it: every refusal of `medium`, and the confirmation.
/// Fails with refused.
[[nodiscard]] Result<void> check_permission(const Medium& medium, const std::string& confirmation);
/// Whether the confirmation names this medium: the last of the checks that need no open device. An image is asked about
/// by its own name before it is attached. Fails with refused.
[[nodiscard]] Result<void> check_confirmation(const Medium& medium, const std::string& confirmation);

/// Checks every layer that needs no rig: identity, refusals, confirmation text, locks and exclusive open, number and
/// diskseq of the open descriptor against what was identified, no other writer of
/// any node of its stack, signatures read through the descriptor, identity once more.
/// Fails with refused (with every reason in one line), bad_request, no_medium, no_permission. Writes nothing.
///
/// The confirmation is confirmation_of(medium), to the letter. Where another device present has the same serial
/// (refusal `ambiguous`), the serial does not name one device: then, and only then, the confirmation is
/// port_confirmation_of(medium), "usb port path 1-2.3".
///
/// Where signatures cannot be read for read errors, `contents` may permit it, and where not every process can be looked
/// at, `use`; neither lifts another refusal.
///
/// An image file is claimed by its path; the caller attaches it first (see image/loop.hpp) and claims the loop device
/// with the image's path as confirmation.
[[nodiscard]] Result<ErasableMedium> claim_erasable(Discovery& discovery, Nodes& nodes, const std::string& target,
                                                    const std::string& confirmation, ClaimTerms terms = {});
/// The same on this machine's device nodes (target mediarig::media_linux).
[[nodiscard]] Result<ErasableMedium> claim_erasable(Discovery& discovery, const std::string& target,
                                                    const std::string& confirmation, ClaimTerms terms = {});

} // namespace mediarig::media
