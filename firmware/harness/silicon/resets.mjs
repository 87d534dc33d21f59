// SPDX-License-Identifier: GPL-3.0-or-later
/// RESETS as in silicon: all blocks are in reset at power-up, and RESET_DONE follows a release with a delay.
import { BasePeripheral } from "rp2040js";
import { allResets, qspiResets } from "./blocks.mjs";

// ns. Silicon needs a few cycles of a block's slowest clock. This value is longer than code in flash takes to reach
// the block, so that firmware that does not wait for a release is detected.
const releaseTime = 300_000;

export class Resets extends BasePeripheral {
  held = allResets & ~qspiResets;
  #releasedAt = new Array(25).fill(-releaseTime);
  #wdsel = 0;
  /** Called with the bits of blocks that the firmware resets. */
  onHold = () => {};

  /** Blocks that do not answer yet. */
  get unusable() {
    let mask = this.held;
    for (let bit = 0; bit < 25; bit++) if (this.rp2040.clock.nanos - this.#releasedAt[bit] < releaseTime) mask |= 1 << bit;
    return mask;
  }

  readUint32(offset) {
    if (offset === 0) return this.held;
    if (offset === 4) return this.#wdsel;
    if (offset === 8) return allResets & ~this.unusable;
    return super.readUint32(offset);
  }

  writeUint32(offset, value) {
    if (offset === 0) {
      for (let bit = 0; bit < 25; bit++) if (this.held & (1 << bit) && !(value & (1 << bit))) this.#releasedAt[bit] = this.rp2040.clock.nanos;
      const newly = value & allResets & ~this.held;
      this.held = value & allResets;
      if (newly) this.onHold(newly);
    } else if (offset === 4) this.#wdsel = value & allResets;
    else super.writeUint32(offset, value);
  }
}
