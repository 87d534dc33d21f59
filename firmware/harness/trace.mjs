// SPDX-License-Identifier: GPL-3.0-or-later
/// Hash over every edge of every pin with its virtual time: two runs of one scenario have equal hashes.
import { createHash } from "node:crypto";

const recordSize = 10; // time in nanoseconds as a double; pin; level
const batch = 4096;

export class Trace {
  #hash = createHash("sha256");
  #buffer = new DataView(new ArrayBuffer(recordSize * batch));
  #filled = 0;
  count = 0;
  #watchers = new Map();

  /** Also calls `seen(time, level)` for each edge of `pin`. */
  watch(pin, seen) {
    this.#watchers.set(pin, [...(this.#watchers.get(pin) ?? []), seen]);
  }

  edge(time, pin, level) {
    const offset = this.#filled * recordSize;
    this.#buffer.setFloat64(offset, time, true);
    this.#buffer.setUint8(offset + 8, pin);
    this.#buffer.setUint8(offset + 9, level ? 1 : 0);
    this.count++;
    if (++this.#filled === batch) this.#flush();
    for (const seen of this.#watchers.get(pin) ?? []) seen(time, level);
  }

  #flush() {
    this.#hash.update(new Uint8Array(this.#buffer.buffer, 0, this.#filled * recordSize));
    this.#filled = 0;
  }

  digest() {
    this.#flush();
    return this.#hash.copy().digest("hex");
  }
}
