// Lines that a running agent prints and that are not of its protocol: of each stream the first and the last ones of a
// prompt.

interface PrintedText {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

/** Characters, of the first and of the last lines. */
const MOST = 4 * 1024;

export class PrintedLines {
  readonly #streams = new Map<
    PrintedText['stream'],
    { first: string; last: string[]; lastLength: number; left: number }
  >();

  add(stream: PrintedText['stream'], line: string): void {
    const kept = this.#streams.get(stream) ?? { first: '', last: [], lastLength: 0, left: 0 };
    this.#streams.set(stream, kept);
    const text = `${line.slice(0, MOST)}\n`;
    if (kept.last.length === 0 && kept.first.length + text.length <= MOST) {
      kept.first += text;
      return;
    }
    kept.last.push(text);
    kept.lastLength += text.length;
    while (kept.lastLength > MOST && kept.last.length > 1) {
      kept.lastLength -= kept.last.shift()!.length;
      kept.left += 1;
    }
  }

  /** The lines since the last call. */
  take(): readonly PrintedText[] {
    const all = [...this.#streams].map(([stream, { first, last, left }]) => {
      const gap = left === 0 ? '' : `… ${left} lines …\n`;
      return { stream, text: `${first}${gap}${last.join('')}` };
    });
    this.#streams.clear();
    return all;
  }
}
