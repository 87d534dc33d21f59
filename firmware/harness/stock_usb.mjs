// SPDX-License-Identifier: GPL-3.0-or-later
/// The emulator's own, lenient USB host, for comparison only.
export { USBCDC } from "rp2040js";
