// A reporter of Jest: after a run of many files it prints the ten that took longest, where time can be saved.
import { relative } from 'node:path';

const SHOWN = 10;

export default class Slowest {
  /** @type {{ path: string, ms: number }[]} */
  #files = [];

  onTestFileResult({ path }, { perfStats }) {
    this.#files.push({ path: relative(process.cwd(), path), ms: perfStats.runtime });
  }

  onRunComplete() {
    if (this.#files.length <= SHOWN) return;
    const slowest = this.#files.sort((a, b) => b.ms - a.ms).slice(0, SHOWN);
    const lines = slowest.map(({ path, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${path}\n`);
    process.stderr.write(`\nThe slowest files:\n${lines.join('')}`);
  }
}
