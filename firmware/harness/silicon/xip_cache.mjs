// SPDX-License-Identifier: GPL-3.0-or-later
/// The cache between the core and the flash (RP2040 datasheet, section 2.6.3): 16 KB, two ways, lines of 8 bytes, and
/// the delay of a miss. With command 03h at clk_sys / 4 a line is read in two words, each with 8 bits of command, 24 of
/// address and 32 of data: the slower of the two interpretations of the datasheet.
const sets = 1024, lineBits = 3;
export const missCycles = 2 * (8 + 24 + 32) * 4;

export class XipCache {
  #tags = new Int32Array(2 * sets).fill(-1);
  #older = new Uint8Array(sets);
  /** Cycles of waiting since the last call. */
  stall = 0;
  misses = 0;

  read(address) {
    const line = (address & 0xffffff) >>> lineBits;
    const set = line & (sets - 1);
    for (let way = 0; way < 2; way++) {
      if (this.#tags[2 * set + way] !== line) continue;
      this.#older[set] = 1 - way;
      return;
    }
    const way = this.#older[set];
    this.#tags[2 * set + way] = line;
    this.#older[set] = 1 - way;
    this.misses++;
    this.stall += missCycles;
  }
  takeStall() {
    const cycles = this.stall;
    this.stall = 0;
    return cycles;
  }
}
