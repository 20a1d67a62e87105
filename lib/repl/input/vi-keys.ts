// The keys of vi for one line: Escape leaves the typing of text, and letters move and change until one of them begins
// it again. Pure: a line, the state and a key give the next line and state. What a key cannot do changes nothing.

export interface EditedLine {
  readonly text: string;
  /** Index in the text. */
  readonly cursor: number;
}

/** What a key asks of the editor around the line. */
export type ViRequest = 'older' | 'newer' | 'undo' | 'search';

export interface ViState {
  readonly mode: 'insert' | 'normal';
  /** Keys of a command that is not complete, such as `2d`. */
  readonly pending: string;
  /** What was deleted last, for `p`. */
  readonly register: string;
}

export interface ViStep {
  readonly line: EditedLine;
  readonly state: ViState;
  readonly request?: ViRequest;
}

export const VI_START: ViState = { mode: 'insert', pending: '', register: '' };

/** A count, an operator with a count of its own, and a motion or a command. */
const COMMAND = /^([1-9]\d*)?(?:([dcy])([1-9]\d*)?)?([fFtTr].?|[^fFtTr])?$/su;
const MOST_TIMES = 1000;

/** Escape: what was typed stays, and the cursor goes back by one. */
export function leaveInsert(line: EditedLine, state: ViState): ViStep {
  const cursor = state.mode === 'insert' ? Math.max(0, before(line.text, line.cursor)) : line.cursor;
  return { line: { ...line, cursor }, state: { ...state, mode: 'normal', pending: '' } };
}

/** One character that was typed in normal mode. */
export function viKey(line: EditedLine, state: ViState, key: string): ViStep {
  const typed = state.pending + key;
  const nothing: ViStep = { line, state: { ...state, pending: '' } };
  const match = COMMAND.exec(typed);
  if (match === null) return nothing;
  const [, count, operator, innerCount, motion] = match;
  if (motion === undefined || /^[fFtTr]$/.test(motion)) return { line, state: { ...state, pending: typed } };
  const times = Math.min(MOST_TIMES, Number(count ?? 1) * Number(innerCount ?? 1));
  const ready = { ...state, pending: '' };
  if (operator !== undefined) return operate({ line, state: ready, operator, motion, times }) ?? nothing;
  return act({ line, state: ready, motion, times }) ?? nothing;
}

interface Operation {
  readonly line: EditedLine;
  readonly state: ViState;
  readonly motion: string;
  readonly times: number;
}

/** `dw`, `cc`, `y$`: undefined where the motion leads nowhere. */
function operate({
  line,
  state,
  operator,
  motion,
  times,
}: Operation & { readonly operator: string }): ViStep | undefined {
  if (motion === operator) return changed(line, state, [0, line.text.length], operator);
  if (/^[dcy]$/.test(motion)) return undefined;
  // As in vi, a change of a word leaves the blank behind it.
  const to = target(line, operator === 'c' && motion === 'w' ? 'e' : motion, times);
  if (to === undefined) return undefined;
  const isInclusive = /^[efFtT]/.test(motion) || (operator === 'c' && motion === 'w');
  const [from, end] = to < line.cursor ? [to, line.cursor] : [line.cursor, to];
  const past = isInclusive && to >= line.cursor ? after(line.text, end) : end;
  return changed(line, state, [from, past], operator);
}

function changed(
  { text, cursor }: EditedLine,
  state: ViState,
  [from, to]: readonly [number, number],
  operator: string,
): ViStep {
  const register = text.slice(from, to);
  if (operator === 'y') return { line: { text, cursor: Math.min(from, cursor) }, state: { ...state, register } };
  const rest = text.slice(0, from) + text.slice(to);
  const mode = operator === 'c' ? 'insert' : 'normal';
  const at = mode === 'insert' ? from : Math.min(from, lastOf(rest));
  return { line: { text: rest, cursor: at }, state: { ...state, mode, register } };
}

/** A motion or a command without an operator. */
function act({ line, state, motion, times }: Operation): ViStep | undefined {
  const { text, cursor } = line;
  const at = (to: number): ViStep => ({ line: { text, cursor: Math.max(0, Math.min(to, lastOf(text))) }, state });
  const insertAt = (to: number): ViStep => ({ line: { text, cursor: to }, state: { ...state, mode: 'insert' } });
  const span = (operator: string, from: number, to: number) => changed(line, state, [from, to], operator);
  const ahead = repeated(times, cursor, (index) => after(text, index));
  switch (motion) {
    case 'i':
      return insertAt(cursor);
    case 'a':
      return insertAt(after(text, cursor));
    case 'I':
      return insertAt(firstNonBlank(text));
    case 'A':
      return insertAt(text.length);
    case 'x':
      return span('d', cursor, ahead);
    case 'X':
      return span(
        'd',
        repeated(times, cursor, (index) => before(text, index)),
        cursor,
      );
    case 's':
      return span('c', cursor, ahead);
    case 'S':
      return span('c', 0, text.length);
    case 'D':
      return span('d', cursor, text.length);
    case 'C':
      return span('c', cursor, text.length);
    case 'Y':
      return span('y', 0, text.length);
    case 'p':
    case 'P': {
      if (state.register === '') return undefined;
      const from = motion === 'p' ? after(text, cursor) : cursor;
      const put = state.register.repeat(Math.min(times, 100));
      const next = text.slice(0, from) + put + text.slice(from);
      return { line: { text: next, cursor: before(next, from + put.length) }, state };
    }
    case '~': {
      const part = text.slice(cursor, ahead);
      const swapped = Array.from(part, (each) =>
        each === each.toLowerCase() ? each.toUpperCase() : each.toLowerCase(),
      );
      const next = text.slice(0, cursor) + swapped.join('') + text.slice(ahead);
      return { line: { text: next, cursor: Math.min(ahead, lastOf(next)) }, state };
    }
    case 'u':
      return { line, state, request: 'undo' };
    case 'k':
      return { line, state, request: 'older' };
    case 'j':
      return { line, state, request: 'newer' };
    case '/':
      return { line, state, request: 'search' };
    default: {
      if (motion.startsWith('r') && motion.length > 1) return replaced(line, state, motion.slice(1), times);
      const to = target(line, motion, times);
      return to === undefined ? undefined : at(to);
    }
  }
}

function replaced({ text, cursor }: EditedLine, state: ViState, by: string, times: number): ViStep | undefined {
  let end = cursor;
  for (let count = 0; count < times; count++) {
    if (end >= text.length) return undefined;
    end = after(text, end);
  }
  const next = text.slice(0, cursor) + by.repeat(times) + text.slice(end);
  return { line: { text: next, cursor: cursor + by.length * (times - 1) }, state };
}

/** Where a motion leads; undefined: nowhere. */
function target({ text, cursor }: EditedLine, motion: string, times: number): number | undefined {
  const [kind = '', wanted = ''] = [motion[0], motion.slice(1)];
  switch (kind) {
    case 'h':
      return repeated(times, cursor, (index) => before(text, index));
    case 'l':
    case ' ':
      return repeated(times, cursor, (index) => after(text, index));
    case '0':
      return 0;
    case '^':
      return firstNonBlank(text);
    case '$':
      return text.length;
    case 'w':
    case 'W':
      return repeated(times, cursor, (index) => nextWord(text, index, kind === 'W'));
    case 'b':
    case 'B':
      return repeated(times, cursor, (index) => wordBefore(text, index, kind === 'B'));
    case 'e':
    case 'E':
      return repeated(times, cursor, (index) => wordEnd(text, index, kind === 'E'));
    case 'f':
    case 't':
    case 'F':
    case 'T':
      return wanted === '' ? undefined : found({ text, cursor }, kind, wanted, times);
    default:
      return undefined;
  }
}

function found({ text, cursor }: EditedLine, kind: string, wanted: string, times: number): number | undefined {
  const isForward = kind === 'f' || kind === 't';
  let at = cursor;
  for (let count = 0; count < times; count++) {
    at = isForward ? text.indexOf(wanted, after(text, at)) : at === 0 ? -1 : text.lastIndexOf(wanted, before(text, at));
    if (at === -1) return undefined;
  }
  if (kind === 't') return before(text, at);
  return kind === 'T' ? after(text, at) : at;
}

function repeated(times: number, from: number, step: (index: number) => number): number {
  let at = from;
  for (let count = 0; count < times; count++) {
    const next = step(at);
    if (next === at) break;
    at = next;
  }
  return at;
}

/** Blank, part of a word, or a sign; with `isWide` a sign is part of a word. */
function kindAt(text: string, index: number, isWide: boolean): 'blank' | 'word' | 'sign' {
  const character = text.slice(index, after(text, index));
  if (/^\s*$/.test(character)) return 'blank';
  return isWide || /^[\p{L}\p{N}_]/u.test(character) ? 'word' : 'sign';
}

function nextWord(text: string, from: number, isWide: boolean): number {
  const kind = kindAt(text, from, isWide);
  let at = from;
  while (at < text.length && kind !== 'blank' && kindAt(text, at, isWide) === kind) at = after(text, at);
  while (at < text.length && kindAt(text, at, isWide) === 'blank') at = after(text, at);
  return at;
}

function wordBefore(text: string, from: number, isWide: boolean): number {
  let at = before(text, from);
  while (at > 0 && kindAt(text, at, isWide) === 'blank') at = before(text, at);
  const kind = kindAt(text, at, isWide);
  while (at > 0 && kindAt(text, before(text, at), isWide) === kind) at = before(text, at);
  return at;
}

function wordEnd(text: string, from: number, isWide: boolean): number {
  let at = after(text, from);
  while (at < text.length && kindAt(text, at, isWide) === 'blank') at = after(text, at);
  if (at >= text.length) return lastOf(text);
  const kind = kindAt(text, at, isWide);
  while (after(text, at) < text.length && kindAt(text, after(text, at), isWide) === kind) at = after(text, at);
  return at;
}

function firstNonBlank(text: string): number {
  return Math.max(0, text.search(/\S/));
}

/** The index of the last character. */
function lastOf(text: string): number {
  return before(text, text.length);
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The index behind the character at `index`. */
function after(text: string, index: number): number {
  if (index >= text.length) return text.length;
  const code = text.charCodeAt(index);
  // Most characters are one unit, with nothing that could combine behind them.
  if (code < 0x300 && !(text.charCodeAt(index + 1) >= 0x300)) return index + 1;
  return index + (graphemes.segment(text).containing(index)?.segment.length ?? 1);
}

/** The index of the character that ends at `index`. */
function before(text: string, index: number): number {
  if (index <= 0) return 0;
  return graphemes.segment(text).containing(index - 1)?.index ?? index - 1;
}
