// SPDX-License-Identifier: GPL-3.0-or-later
/// What the audit found: a rule that silicon enforces and the stock emulator does not, and where it was broken.

export class Findings {
  #byRule = new Map();
  #notes = new Map();

  /** `clock()` gives the time of the board in nanoseconds. */
  constructor(clock = () => 0) {
    this.clock = clock;
  }

  /** The first case of each rule is kept with its time; later ones are counted. */
  report(rule, detail) {
    const known = this.#byRule.get(rule);
    if (known) known.count++;
    else this.#byRule.set(rule, { rule, detail, at: this.clock(), count: 1 });
  }

  /** Something that the emulator does not model, so that the run says nothing about it. */
  note(text) {
    this.#notes.set(text, (this.#notes.get(text) ?? 0) + 1);
  }

  get all() {
    return [...this.#byRule.values()];
  }
  get rules() {
    return [...this.#byRule.keys()];
  }
  get notes() {
    return [...this.#notes.keys()];
  }
  has(rule) {
    return this.#byRule.has(rule);
  }
  toString() {
    return this.all.map((f) => `${f.rule}: ${f.detail} (at ${(f.at / 1e6).toFixed(3)} ms, ${f.count} times)`).join("\n");
  }
}
