// Cuts Markdown that is still arriving into blocks that are over. The cuts depend only on the text, never on how it
// came in pieces, so a streamed answer looks like a whole one. It decides nothing about looks.
//
// Fenced code goes line by line, everything else as a whole block. A list ends at a line that does not belong to it,
// not at a blank one. A block that grows too long is cut at a line or a word, so that no answer can stall the
// screen.

export type MarkdownBlock =
  /** Source of one closed block, or of an open one: paragraph, heading, list, quote, table, rule, HTML. */
  | { readonly type: 'markdown'; readonly source: string }
  /** The line that opens or closes a code block. */
  | { readonly type: 'fence'; readonly line: string }
  /** A line of code as it came. */
  | { readonly type: 'code'; readonly line: string }
  /** Blank lines outside of code. */
  | { readonly type: 'blank' };

type Kind = 'paragraph' | 'list' | 'quote';

/** Characters after which a block is cut. */
const LONGEST_BLOCK = 8192;
/** Characters after which a line of code is cut. */
const LONGEST_CODE_LINE = 1_048_576;

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$/;
const UNDERLINE = /^ {0,3}(?:-+|=+)[ \t]*$/;
const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
/** A list may interrupt a paragraph only with a bullet or the number 1. */
const INTERRUPTING_ITEM = /^ {0,3}(?:[-*+]|1[.)])[ \t]+\S/;
const QUOTE = /^ {0,3}>/;

/** Takes text as it comes; its results depend only on the text. */
export class BlockCutter {
  #closed: MarkdownBlock[] = [];
  /** Whole lines of the open block, each with its LF. */
  #lines = '';
  #kind: Kind | undefined;
  /** The line that is not over yet. */
  #partial = '';
  /** The backticks or tildes that opened the present code block. */
  #fence: string | undefined;
  /** In an open list: whether the last line was blank. */
  #afterBlank = false;

  /** The blocks that are over now. */
  push(text: string): MarkdownBlock[] {
    for (let from = 0; from < text.length; ) {
      const lineEnd = text.indexOf('\n', from);
      this.#partial += text.slice(from, lineEnd === -1 ? undefined : lineEnd);
      this.#cutWhatIsTooLong();
      if (lineEnd === -1) break;
      this.#endLine();
      from = lineEnd + 1;
    }
    return this.#taken();
  }

  /** The part that has arrived of the open block; undefined if there is none. */
  open(): MarkdownBlock | undefined {
    if (this.#fence) return this.#partial === '' ? undefined : { type: 'code', line: this.#partial };
    const source = (this.#lines + this.#partial).trimEnd();
    return source === '' ? undefined : { type: 'markdown', source };
  }

  /** The text is over: closes the open block. */
  end(): MarkdownBlock[] {
    if (this.#partial !== '') this.#endLine();
    this.#afterBlank = false;
    this.#close();
    this.#fence = undefined;
    return this.#taken();
  }

  #taken(): MarkdownBlock[] {
    const blocks = this.#closed;
    this.#closed = [];
    return blocks;
  }

  #endLine(): void {
    const line = this.#partial;
    this.#partial = '';
    if (this.#fence) this.#takeCode(line, this.#fence);
    else if (line.trim() === '') this.#takeBlank();
    else if (!this.#continuesList(line)) this.#takeLine(line);
  }

  #takeCode(line: string, fence: string): void {
    const closes = closesFence(line, fence);
    if (closes) this.#fence = undefined;
    this.#closed.push({ type: closes ? 'fence' : 'code', line });
  }

  #takeBlank(): void {
    if (this.#kind === 'list') {
      this.#lines += '\n';
      this.#afterBlank = true;
    } else {
      this.#close();
      this.#closed.push({ type: 'blank' });
    }
  }

  /** Whether the line belongs to the open list, which it ends otherwise. */
  #continuesList(line: string): boolean {
    if (this.#kind !== 'list') return false;
    const belongs = /^[ \t]/.test(line) || (LIST_ITEM.test(line) && !RULE.test(line));
    if (belongs || (!this.#afterBlank && isPlain(line))) {
      this.#lines += `${line}\n`;
      this.#afterBlank = false;
      return true;
    }
    this.#close();
    return false;
  }

  #takeLine(line: string): void {
    const opening = FENCE.exec(line);
    if (opening) {
      this.#close();
      this.#fence = opening[1];
      this.#closed.push({ type: 'fence', line });
    } else if (HEADING.test(line)) this.#single(line);
    else if (this.#kind === 'paragraph' && UNDERLINE.test(line)) {
      this.#lines += `${line}\n`;
      this.#close();
    } else if (RULE.test(line)) this.#single(line);
    else if (QUOTE.test(line) && this.#kind !== 'quote') this.#begin(line, 'quote');
    else if (this.#kind === undefined) this.#begin(line, LIST_ITEM.test(line) ? 'list' : 'paragraph');
    else if (INTERRUPTING_ITEM.test(line)) this.#begin(line, 'list');
    else this.#lines += `${line}\n`;
  }

  #begin(line: string, kind: Kind): void {
    this.#close();
    this.#lines = `${line}\n`;
    this.#kind = kind;
  }

  #single(line: string): void {
    this.#begin(line, 'paragraph');
    this.#close();
  }

  #close(): void {
    const source = this.#lines.trimEnd();
    if (source !== '') this.#closed.push({ type: 'markdown', source });
    if (this.#afterBlank) this.#closed.push({ type: 'blank' });
    this.#lines = '';
    this.#kind = undefined;
    this.#afterBlank = false;
  }

  #cutWhatIsTooLong(): void {
    const isCode = this.#fence !== undefined;
    const limit = isCode ? LONGEST_CODE_LINE : LONGEST_BLOCK;
    while (this.#lines.length + this.#partial.length > limit) {
      const all = this.#lines + this.#partial;
      const head = all.slice(0, cutPlace(all, limit, isCode));
      const rest = all.slice(head.length);
      if (isCode) this.#closed.push({ type: 'code', line: head });
      else if (head.trim() !== '') this.#closed.push({ type: 'markdown', source: head.trimEnd() });
      const restOfLine = rest.lastIndexOf('\n') + 1;
      this.#lines = rest.slice(0, restOfLine);
      this.#partial = rest.slice(restOfLine);
    }
  }
}

/** A line of running text: one that begins no other block. */
function isPlain(line: string): boolean {
  return !FENCE.test(line) && !HEADING.test(line) && !RULE.test(line) && !QUOTE.test(line);
}

function closesFence(line: string, fence: string): boolean {
  const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line);
  return closing !== null && closing[1]![0] === fence[0] && closing[1]!.length >= fence.length;
}

/** Where to cut a text that is too long: after the last line break or space, never inside a character. */
function cutPlace(text: string, limit: number, exact: boolean): number {
  if (!exact) {
    const lineBreak = text.lastIndexOf('\n', limit - 1);
    if (lineBreak > limit / 2) return lineBreak + 1;
    const space = text.lastIndexOf(' ', limit - 1);
    if (space > limit / 2) return space + 1;
  }
  const splitsPair = /[\ud800-\udbff]/.test(text[limit - 1]!);
  return splitsPair ? limit - 1 : limit;
}
