// The line on a terminal that cannot move its cursor: only its end changes in its place. After another change the whole
// line is written again, in a new row.
import { sanitize } from '../../display/sanitize.ts';
import { textWidth } from '../../display/width.ts';
import type { LineContent, LineView } from './line-view.ts';

const NEW_LINE = '\r\n… ';

export class DumbLineView implements LineView {
  readonly #output: Pick<NodeJS.WriteStream, 'columns' | 'write'>;
  #prompt = '';
  /** The text as it is on the screen; undefined: none is. */
  #written: string | undefined;
  /** Nothing is moved up and down here. */
  readonly room = { first: Number.POSITIVE_INFINITY, others: Number.POSITIVE_INFINITY };

  constructor(output: Pick<NodeJS.WriteStream, 'columns' | 'write'>) {
    this.#output = output;
  }

  show(prompt: string): void {
    this.#prompt = prompt;
    this.#written = undefined;
  }

  draw({ text }: Pick<LineContent, 'text'>): void {
    const line = sanitize(text).replaceAll('\n', NEW_LINE);
    const before = this.#written;
    if (line === before) return;
    this.#written = line;
    const lastRow = this.#prompt.slice(this.#prompt.lastIndexOf('\n') + 1);
    if (before === undefined) this.#output.write(`${this.#prompt.replaceAll('\n', '\r\n')}${line}`);
    else if (line.startsWith(before)) this.#output.write(line.slice(before.length));
    else if (before.startsWith(line) && isInOneRow(`${lastRow}${before}`, this.#output.columns, line.length))
      this.#output.write('\b \b'.repeat(textWidth(before.slice(line.length))));
    else this.#output.write(`\r\n${lastRow}${line}`);
  }

  leave(content: LineContent): void {
    this.draw(content);
    this.#output.write('\r\n');
    this.#written = undefined;
  }

  erase(): void {}

  goToEnd(): void {}

  forget(): void {
    this.#written = undefined;
  }

  resize(prompt: string): void {
    this.#prompt = prompt;
  }

  clearScreen(): void {}
}

function isInOneRow(written: string, columns: number, kept: number): boolean {
  return !written.slice(-kept).includes('\n') && textWidth(written) < columns;
}
