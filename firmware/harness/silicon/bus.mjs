// SPDX-License-Identifier: GPL-3.0-or-later
/// The RP2040 of the emulator, with a bus as strict as the real one.
import { RP2040 } from "rp2040js";
import { blocks } from "./blocks.mjs";
import { XipCache } from "./xip_cache.mjs";

const romSize = 0x4000, sramSize = 264 * 1024, flashSize = 2 * 1024 * 1024;

export class StrictRp2040 extends RP2040 {
  /** Set after construction: the audit, and seeded defects, which change the firmware's writes and reads. */
  audit = undefined;
  rewrite = undefined;
  misread = undefined;
  /** True during an exception whose handler is in RAM: it must not wait for flash. */
  inRamHandler = false;
  xip = new XipCache();

  readUint32(address) {
    const a = address >>> 0;
    if (a >>> 28 === 2 && a - 0x20000000 <= sramSize - 4 && (a & 3) === 0) return this.sramView.getUint32(a - 0x20000000, true);
    if (a >= 0x10000000 && a < 0x14000000 && !this.inRamHandler && (a & 3) === 0 && (a & 0xffffff) < flashSize) {
      this.xip.read(a);
      return this.flashView.getUint32(a & 0xffffff, true);
    }
    if (this.audit) this.#check(a, 4, false);
    const value = super.readUint32(a);
    return this.misread ? this.misread(a, value >>> 0) : value;
  }
  readUint16(address) {
    const a = address >>> 0;
    if (a >= 0x10000000 && a < 0x14000000 && !this.inRamHandler && (a & 1) === 0 && (a & 0xffffff) < flashSize) {
      this.xip.read(a);
      return this.flashView.getUint16(a & 0xffffff, true);
    }
    if (this.audit && a >>> 28 !== 2) this.#check(a, 2, false);
    else if (a & 1) this.#check(a, 2, false);
    return super.readUint16(a);
  }
  readUint8(address) {
    const a = address >>> 0;
    if (a >= 0x10000000 && a < 0x14000000) this.xip.read(a);
    if (this.audit && a >>> 28 !== 2) this.#check(a, 1, false);
    return super.readUint8(a);
  }
  writeUint32(address, value) {
    const a = address >>> 0;
    if (this.rewrite) {
      value = this.rewrite(a, value >>> 0);
      if (value === undefined) return;
    }
    if (a >>> 28 === 2 && a - 0x20000000 <= sramSize - 4 && (a & 3) === 0) return this.sramView.setUint32(a - 0x20000000, value, true);
    if (this.audit) this.#check(a, 4, true);
    super.writeUint32(a, value);
  }
  writeUint16(address, value) {
    const a = address >>> 0;
    if (this.audit) this.#check(a, 2, true);
    super.writeUint16(a, value);
  }
  writeUint8(address, value) {
    const a = address >>> 0;
    if (this.audit && a >>> 28 !== 2) this.#check(a, 1, true);
    super.writeUint8(a, value);
  }

  #check(a, size, writing) {
    const { audit } = this;
    if (!audit) return;
    const where = () => `0x${a.toString(16)} from 0x${this.core.PC.toString(16)}`;
    if (a & (size - 1)) {
      audit.report("unaligned", `${size} bytes at ${where()}`);
      throw new HardFault(`unaligned access at ${where()}`);
    }
    const complain = (rule, what) => audit.report(rule, `${writing ? "write to" : "read of"} ${what} at ${where()}`);
    switch (a >>> 28) {
      case 0:
        if (writing) complain("unmapped", "the boot ROM");
        else if (a >= romSize) complain("unmapped", "nothing");
        else if (a < 0x10 && this.core.VTOR !== 0) complain("unmapped", "a null pointer");
        return;
      case 1:
        if (a >>> 24 >= 0x14 && a >>> 24 !== 0x18) complain("unmapped", "nothing");
        else if (writing && a < 0x14000000) complain("unmapped", "flash, which takes no stores,");
        else if (a < 0x14000000 && (a & 0xffffff) >= flashSize) complain("unmapped", "flash beyond its end");
        else if (this.inRamHandler && a < 0x14000000) audit.report("ram-handler-in-flash", `exception ${this.core.IPSR} has its handler in RAM and needs flash: ${where()}`);
        return;
      case 2:
        if (a - 0x20000000 > sramSize - size) complain("unmapped", "nothing");
        return;
      case 4:
      case 5:
        if (a >= 0x50100000 && a < 0x50101000) audit.touch(blocks[0x50110], a & 0xfff);
        else if (!this.findPeripheral(a)) complain("unmapped", "nothing");
        return;
      case 0xd:
        if ((a & 0xfffffff) > 0x17c) complain("unmapped", "nothing");
        return;
      case 0xe:
        return;
      default:
        complain("unmapped", "nothing");
    }
  }
}

/** An access that the core would answer with its HardFault exception. */
export class HardFault extends Error {}
