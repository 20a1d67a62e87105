// The keys of vi: Escape leaves the typing of text, and letters move and change until one of them begins it again. Most
// keys stay in the line of the cursor, as in vi. Pure: a text, the state and a key give the next text and state. What a
// key cannot do changes nothing.
import type { EditedText } from './buffer.ts';
import { after, before, kindAt, lineEnd, lineStart, nextWord, wordBefore } from './text-places.ts';

/** What a key asks of the editor around the line. */
export type ViRequest = 'older' | 'newer' | 'undo' | 'search';

export interface ViState {
  readonly mode: 'insert' | 'normal';
  /** Keys of a command that is not complete, such as `2d`. */
  readonly pending: string;
  /** The text that was deleted last, for `p`. */
  readonly register: string;
}

interface ViStep {
  readonly line: EditedText;
  readonly state: ViState;
  readonly request?: ViRequest;
}

export const VI_START: ViState = { mode: 'insert', pending: '', register: '' };

/** A count, an operator with a count of its own, and a motion or a command. */
const COMMAND = /^([1-9]\d*)?(?:([dcy])([1-9]\d*)?)?([fFtTrg].?|[^fFtTrg])?$/su;
const MOST_TIMES = 1000;
const MOST_PUT = 100;

/** Escape: the typed text stays, and the cursor goes back by one. */
export function leaveInsert(line: EditedText, state: ViState): ViStep {
  const { text, cursor } = line;
  const at = state.mode === 'insert' ? Math.max(lineStart(text, cursor), before(text, cursor)) : cursor;
  return { line: { text, cursor: at }, state: { ...state, mode: 'normal', pending: '' } };
}

/** A single character that was typed in normal mode. */
export function viKey(line: EditedText, state: ViState, key: string): ViStep {
  const typed = state.pending + key;
  const nothing: ViStep = { line, state: { ...state, pending: '' } };
  const match = COMMAND.exec(typed);
  if (match === null) return nothing;
  const [, count, operator, innerCount, motion] = match;
  if (motion === undefined || /^[fFtTrg]$/.test(motion)) return { line, state: { ...state, pending: typed } };
  const given =
    count === undefined && innerCount === undefined ? undefined : Number(count ?? 1) * Number(innerCount ?? 1);
  const times = Math.min(MOST_TIMES, given ?? 1);
  const operation = { line, state: { ...state, pending: '' }, motion, times, operator };
  return onLines(operation, given) ?? (/^[wWbBeE]$/.test(motion) ? run(operation) : inLine(operation)) ?? nothing;
}

interface Operation {
  readonly line: EditedText;
  readonly state: ViState;
  readonly motion: string;
  readonly times: number;
  readonly operator: string | undefined;
}

function run(operation: Operation): ViStep | undefined {
  const { operator } = operation;
  return operator === undefined ? act(operation) : operate({ ...operation, operator });
}

/** The command as if its line were all of the text. */
function inLine(operation: Operation): ViStep | undefined {
  const { text, cursor } = operation.line;
  const [start, end] = [lineStart(text, cursor), lineEnd(text, cursor)];
  const step = run({ ...operation, line: { text: text.slice(start, end), cursor: cursor - start } });
  if (step === undefined) return undefined;
  const { line } = step;
  return {
    ...step,
    line: { text: text.slice(0, start) + line.text + text.slice(end), cursor: start + line.cursor },
  };
}

/** Commands on whole lines; undefined: it is none. `given`: the count that was typed. */
function onLines({ line, state, motion, times, operator }: Operation, given: number | undefined): ViStep | undefined {
  const { text, cursor } = line;
  const doubled = operator === undefined ? { S: 'c', Y: 'y' }[motion] : operator === motion ? operator : undefined;
  const [start, end] = [lineStart(text, cursor), lineEnd(text, cursor)];
  const insertLine = (at: number, cursorAt: number): ViStep => ({
    line: { text: `${text.slice(0, at)}\n${text.slice(at)}`, cursor: cursorAt },
    state: { ...state, mode: 'insert' },
  });
  if (doubled !== undefined) return changedLines(line, state, [start, endOfLines(text, cursor, times - 1)], doubled);
  if (motion === 'G' || motion === 'gg') {
    const number = given ?? (motion === 'G' ? Number.POSITIVE_INFINITY : 1);
    const to = startOfLine(text, number);
    if (operator === undefined) return { line: { text, cursor: to + firstNonBlank(lineFrom(text, to)) }, state };
    return changedLines(line, state, [Math.min(start, to), lineEnd(text, Math.max(cursor, to))], operator);
  }
  if (operator !== undefined) {
    if (motion === 'j' && end < text.length)
      return changedLines(line, state, [start, endOfLines(text, cursor, times)], operator);
    if (motion !== 'k' || start === 0) return undefined;
    return changedLines(
      line,
      state,
      [repeated(times, start, (at) => lineStart(text, Math.max(0, at - 1))), end],
      operator,
    );
  }
  if (motion === 'o') return insertLine(end, end + 1);
  if (motion === 'O') return insertLine(start, start);
  if (motion === 'J' && end < text.length) {
    const rest = text.slice(end + 1).replace(/^[ \t]+/, '');
    return { line: { text: `${text.slice(0, end)} ${rest}`, cursor: end }, state };
  }
  return /^[pP]$/.test(motion) && state.register.endsWith('\n') ? putLines(line, state, motion, times) : undefined;
}

function putLines({ text, cursor }: EditedText, state: ViState, motion: string, times: number): ViStep {
  const put = state.register.repeat(Math.min(times, MOST_PUT));
  const at = motion === 'P' ? lineStart(text, cursor) : lineEnd(text, cursor);
  const lines = motion === 'P' ? put : `\n${put.slice(0, -1)}`;
  const first = motion === 'P' ? at : at + 1;
  const next = text.slice(0, at) + lines + text.slice(at);
  return { line: { text: next, cursor: first + firstNonBlank(lineFrom(next, first)) }, state };
}

/** `dd`, `cj`, `yG`: a line that is changed stays, as an empty one. */
function changedLines(
  { text, cursor }: EditedText,
  state: ViState,
  [from, to]: readonly [number, number],
  operator: string,
): ViStep {
  const register = `${text.slice(from, to)}\n`;
  if (operator === 'y') return { line: { text, cursor: Math.min(from, cursor) }, state: { ...state, register } };
  if (operator === 'c')
    return {
      line: { text: text.slice(0, from) + text.slice(to), cursor: from },
      state: { ...state, mode: 'insert', register },
    };
  const rest =
    from === 0 ? text.slice(to + 1) : text.slice(0, to === text.length ? from - 1 : from) + text.slice(to + 1);
  const start = lineStart(rest, Math.min(from, rest.length));
  return { line: { text: rest, cursor: start + firstNonBlank(lineFrom(rest, start)) }, state: { ...state, register } };
}

/** The end of the line that is this many lines below. */
function endOfLines(text: string, cursor: number, below: number): number {
  return repeated(below, lineEnd(text, cursor), (end) => (end < text.length ? lineEnd(text, end + 1) : end));
}

/** Counted from one; the last line for a number that is too large. */
function startOfLine(text: string, number: number): number {
  const at = repeated(Math.min(number - 1, text.length), 0, (start) => {
    const end = lineEnd(text, start);
    return end < text.length ? end + 1 : start;
  });
  return at;
}

function lineFrom(text: string, start: number): string {
  return text.slice(start, lineEnd(text, start));
}

/** `dw`, `y$`: undefined where the motion leads nowhere. */
function operate({
  line,
  state,
  operator,
  motion,
  times,
}: Operation & { readonly operator: string }): ViStep | undefined {
  if (/^[dcy]$/.test(motion)) return undefined;
  // As in vi, a change of a word keeps the blank after it.
  const to = target(line, operator === 'c' && motion === 'w' ? 'e' : motion, times);
  if (to === undefined) return undefined;
  const isInclusive = /^[eEfFtT]/.test(motion) || (operator === 'c' && motion === 'w');
  const [from, end] = to < line.cursor ? [to, line.cursor] : [line.cursor, to];
  const past = isInclusive && to >= line.cursor ? after(line.text, end) : end;
  // The line break after the last word of a line stays.
  const isWord = /^[wW]$/.test(motion);
  return changed(line, state, [from, isWord ? Math.min(past, lineEnd(line.text, line.cursor)) : past], operator);
}

function changed(
  { text, cursor }: EditedText,
  state: ViState,
  [from, to]: readonly [number, number],
  operator: string,
): ViStep {
  const register = text.slice(from, to);
  if (operator === 'y') return { line: { text, cursor: Math.min(from, cursor) }, state: { ...state, register } };
  const rest = text.slice(0, from) + text.slice(to);
  const mode = operator === 'c' ? 'insert' : 'normal';
  return {
    line: { text: rest, cursor: mode === 'insert' ? from : onCharacter(rest, from) },
    state: { ...state, mode, register },
  };
}

/** In normal mode the cursor is on a character of its line, if that has one. */
function onCharacter(text: string, cursor: number): number {
  const at = Math.max(0, Math.min(cursor, text.length));
  const start = lineStart(text, at);
  return at > start && at === lineEnd(text, at) ? before(text, at) : at;
}

/** A motion or a command without an operator. */
function act({ line, state, motion, times }: Operation): ViStep | undefined {
  const { text, cursor } = line;
  const at = (to: number): ViStep => ({ line: { text, cursor: onCharacter(text, to) }, state });
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
    case 'D':
      return span('d', cursor, text.length);
    case 'C':
      return span('c', cursor, text.length);
    case 'p':
    case 'P': {
      if (state.register === '') return undefined;
      const from = motion === 'p' ? after(text, cursor) : cursor;
      const put = state.register.repeat(Math.min(times, MOST_PUT));
      const next = text.slice(0, from) + put + text.slice(from);
      return { line: { text: next, cursor: before(next, from + put.length) }, state };
    }
    case '~': {
      const part = text.slice(cursor, ahead);
      const swapped = Array.from(part, (each) =>
        each === each.toLowerCase() ? each.toUpperCase() : each.toLowerCase(),
      );
      const next = text.slice(0, cursor) + swapped.join('') + text.slice(ahead);
      return { line: { text: next, cursor: onCharacter(next, ahead) }, state };
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

function replaced({ text, cursor }: EditedText, state: ViState, by: string, times: number): ViStep | undefined {
  let end = cursor;
  for (let count = 0; count < times; count++) {
    if (end >= text.length) return undefined;
    end = after(text, end);
  }
  const next = text.slice(0, cursor) + by.repeat(times) + text.slice(end);
  return { line: { text: next, cursor: cursor + by.length * (times - 1) }, state };
}

/** Where a motion leads; undefined: nowhere. */
function target({ text, cursor }: EditedText, motion: string, times: number): number | undefined {
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

function found({ text, cursor }: EditedText, kind: string, wanted: string, times: number): number | undefined {
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
