// SPDX-License-Identifier: GPL-3.0-or-later
/// Wraps a peripheral of the emulator: rules see each access before and after it.

const combine = (before, type, value) => (type === 1 ? before ^ value : type === 2 ? before | value : before & ~value) >>> 0;

export class Guard {
  /**
   * `rules.read(offset, value)` may change the result of a read. `rules.write(offset, value, raw)` receives the new
   * value of the register and the written bits (for registers whose bits are cleared by writing ones).
   */
  constructor(inner, block, audit, rules = {}) {
    this.inner = inner;
    this.block = block;
    this.audit = audit;
    this.rules = rules;
  }

  readUint32(offset) {
    const register = offset & 0xfff;
    this.audit.touch(this.block, register);
    const value = this.inner.readUint32(register) >>> 0;
    const seen = this.rules.read ? this.rules.read(register, value) : value;
    this.audit.polled(this.block, register, seen);
    return seen;
  }

  writeUint32Atomic(offset, value, type) {
    this.audit.touch(this.block, offset);
    this.audit.polled(undefined, 0, 0);
    const unsigned = value >>> 0;
    if (this.rules.write) {
      const result = type === 0 ? unsigned : combine(this.inner.readUint32(offset), type, unsigned);
      this.rules.write(offset, result, unsigned);
    }
    this.inner.writeUint32Atomic(offset, unsigned, type);
  }
}
