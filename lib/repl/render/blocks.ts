// Cuts Markdown that is still arriving into blocks that are over. Where it cuts depends on the text alone, never on how
// the text came in pieces: so a streamed answer looks as one that was there at once. It decides nothing about looks.
//
// Fenced code goes line by line, everything else as a whole block. A list ends at a line that does not belong to it,
// not at a blank one. A block that grows beyond all measure is cut at a line or a word, so that no answer can stall the
// screen.

export type Block =
  /** Source of one closed block, or of an open one: paragraph, heading, list, quote, table, rule, HTML. */
  | { readonly type: 'markdown'; readonly source: string }
  /** The line that opens or closes a code block. */
  | { readonly type: 'fence'; readonly line: string }
  /** A line of code as it came. */
  | { readonly type: 'code'; readonly line: string }
  /** One or more blank lines outside of code. */
  | { readonly type: 'blank' };

export interface BlockCutter {
  /** The blocks that are over now. */
  push(text: string): Block[];
  /** What is there of the block that is still open; undefined if there is none. */
  open(): Block | undefined;
  /** The text is over: what was open is closed. */
  end(): Block[];
}

type Kind = 'paragraph' | 'list' | 'quote';

/** Characters after which a block is cut. */
export const LONGEST_BLOCK = 8192;
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

export function createBlockCutter(): BlockCutter {
  let closed: Block[] = [];
  /** Whole lines of the open block, each with its LF. */
  let lines = '';
  let kind: Kind | undefined;
  /** The line that is not over yet. */
  let partial = '';
  /** The backticks or tildes that opened the code block we are in. */
  let fence: string | undefined;
  /** In an open list: whether the last line was blank. */
  let afterBlank = false;

  const close = () => {
    const source = lines.trimEnd();
    if (source !== '') closed.push({ type: 'markdown', source });
    if (afterBlank) closed.push({ type: 'blank' });
    lines = '';
    kind = undefined;
    afterBlank = false;
  };
  const begin = (line: string, newKind: Kind) => {
    close();
    lines = `${line}\n`;
    kind = newKind;
  };
  const single = (line: string) => {
    begin(line, 'paragraph');
    close();
  };

  const takeCode = (line: string) => {
    if (closesFence(line, fence!)) {
      closed.push({ type: 'fence', line });
      fence = undefined;
    } else closed.push({ type: 'code', line });
  };

  const takeLine = (line: string) => {
    if (fence) return takeCode(line);
    if (line.trim() === '') {
      if (kind === 'list') {
        lines += '\n';
        afterBlank = true;
      } else {
        close();
        closed.push({ type: 'blank' });
      }
      return;
    }
    if (kind === 'list') {
      const belongs = /^[ \t]/.test(line) || (LIST_ITEM.test(line) && !RULE.test(line));
      if (belongs || (!afterBlank && isPlain(line))) {
        lines += `${line}\n`;
        afterBlank = false;
        return;
      }
      close();
    }
    const opening = FENCE.exec(line);
    if (opening) {
      close();
      fence = opening[1];
      closed.push({ type: 'fence', line });
    } else if (HEADING.test(line)) single(line);
    else if (kind === 'paragraph' && UNDERLINE.test(line)) {
      lines += `${line}\n`;
      close();
    } else if (RULE.test(line)) single(line);
    else if (QUOTE.test(line) && kind !== 'quote') begin(line, 'quote');
    else if (kind === undefined) begin(line, LIST_ITEM.test(line) ? 'list' : 'paragraph');
    else if (INTERRUPTING_ITEM.test(line)) begin(line, 'list');
    else lines += `${line}\n`;
  };

  const cutWhatIsTooLong = () => {
    const limit = fence ? LONGEST_CODE_LINE : LONGEST_BLOCK;
    while (lines.length + partial.length > limit) {
      const all = lines + partial;
      const head = all.slice(0, cutPlace(all, limit, fence !== undefined));
      const rest = all.slice(head.length);
      if (fence) closed.push({ type: 'code', line: head });
      else if (head.trim() !== '') closed.push({ type: 'markdown', source: head.trimEnd() });
      const restOfLine = rest.lastIndexOf('\n') + 1;
      lines = rest.slice(0, restOfLine);
      partial = rest.slice(restOfLine);
    }
  };

  const taken = () => {
    const blocks = closed;
    closed = [];
    return blocks;
  };

  return {
    push(text) {
      let from = 0;
      while (from < text.length) {
        const lineEnd = text.indexOf('\n', from);
        partial += text.slice(from, lineEnd === -1 ? undefined : lineEnd);
        cutWhatIsTooLong();
        if (lineEnd === -1) break;
        const line = partial;
        partial = '';
        takeLine(line);
        from = lineEnd + 1;
      }
      return taken();
    },
    open() {
      if (fence) return partial === '' ? undefined : { type: 'code', line: partial };
      const source = (lines + partial).trimEnd();
      return source === '' ? undefined : { type: 'markdown', source };
    },
    end() {
      if (partial !== '') {
        const line = partial;
        partial = '';
        takeLine(line);
      }
      afterBlank = false;
      close();
      fence = undefined;
      return taken();
    },
  };
}

/** A line of running text: one that begins no other block. */
function isPlain(line: string): boolean {
  return !FENCE.test(line) && !HEADING.test(line) && !RULE.test(line) && !QUOTE.test(line);
}

function closesFence(line: string, fence: string): boolean {
  const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line);
  return closing !== null && closing[1]![0] === fence[0] && closing[1]!.length >= fence.length;
}

/** Where to cut a text that is too long: behind the last line break or space, never inside a character. */
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
