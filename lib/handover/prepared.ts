// Items as a program takes them: without secrets, without markers of its own, with results that say how their calls
// ended, and with our own ids. Counts the changes.
import { isHighSurrogate, isLowSurrogate } from '../messages/surrogates.ts';
import type { CallEnd, HandedCall, HandedItem, HandedMessage, MessagePiece, Picture } from './item.ts';
import type { Target, WrittenCall, WrittenItem, WrittenMessage, WrittenPiece } from './target.ts';

export const CHANGE_KINDS = {
  secrets: 'secret redacted',
  defused: 'text defused',
  shortened: 'result shortened',
  names: 'name of a tool adapted',
  pictures: 'picture named in words',
  files: 'file named in words',
} as const;

type ChangeKind = keyof typeof CHANGE_KINDS;
export type Changes = Record<ChangeKind, number>;

interface Preparation {
  readonly target: Target;
  /** Address of the source. */
  readonly from: string;
  /** Calls are written as texts. */
  readonly callsAsText: boolean;
  /** Takes secrets out of a text, and says how many. Absent: nothing is taken out. */
  readonly redact?: ((text: string) => { readonly text: string; readonly count: number }) | undefined;
  /** Time of items that have none, as `writtenTime` gives it. */
  readonly startedAt: string;
}

const MAX_RESULT_CHARACTERS = 256 * 1024;
/** Not white space, and seen by no user. */
const DEFUSED = '\u200b';
/** What one of the programs takes for a command, or for a text of its own. */
const MARKER =
  /^\s*(?:[/?!<]|# (?:AGENTS\.md|Context from)|Caveat: |\[Request interrupted|System: Please|You are an AI agent that)/;
const NO_OUTPUT = '(no output)';
const ENDS: Readonly<Record<Exclude<CallEnd, 'ok'>, string>> = {
  error: '[The call failed.]',
  denied: '[The call was denied and did not run.]',
  timeout: '[The call was stopped: it took too long.]',
  cancelled: '[The call was cancelled.]',
  unknown: '[The program ended while the call ran: whether it had an effect is not known.]',
  none: '[No result of the call is known.]',
};
const TOOL_NAME = /^[\w-]{1,64}$/;

export function prepare(
  items: readonly HandedItem[],
  preparation: Preparation,
): { readonly items: readonly WrittenItem[]; readonly changes: Changes } {
  const work = new Work(preparation);
  const written = items.flatMap((item) => (item.kind === 'message' ? work.message(item) : work.call(item)));
  return { items: written, changes: work.changes };
}

class Work {
  readonly changes: Changes = { secrets: 0, defused: 0, shortened: 0, names: 0, pictures: 0, files: 0 };
  readonly #preparation: Preparation;
  #at: string;
  #calls = 0;

  constructor(preparation: Preparation) {
    this.#preparation = preparation;
    this.#at = preparation.startedAt;
  }

  message({ role, pieces, at }: HandedMessage): WrittenMessage[] {
    const written = pieces.map((piece) => this.#piece(piece, role));
    return written.length === 0 ? [] : [{ kind: 'message', role, pieces: written, at: this.#time(at) }];
  }

  call(call: HandedCall): WrittenItem[] {
    const { target, callsAsText } = this.#preparation;
    this.#calls += 1;
    const id = `call_${String(this.#calls).padStart(6, '0')}`;
    const at = this.#time(call.at);
    const name = this.#name(call.name);
    const args = this.#value(call.args) as WrittenCall['args'];
    const result = this.#result(call);
    if (callsAsText) return asTexts({ name, args, result, at });
    const pictures = target.hasPictures ? call.pictures : [];
    const isError = target.tellsFailures && call.end !== 'ok';
    return [{ kind: 'call', step: call.step, id, name, args, result, isError, pictures, at }];
  }

  #piece(piece: MessagePiece, role: 'user' | 'assistant'): WrittenPiece {
    if (piece.kind === 'text') return { kind: 'text', text: this.#defuse(this.#clean(piece.text), role) };
    if (piece.kind === 'picture' && this.#preparation.target.hasPictures && role === 'user') return piece;
    const isFile = piece.kind === 'missing' && piece.file !== undefined;
    this.changes[isFile ? 'files' : 'pictures'] += 1;
    return {
      kind: 'text',
      text: this.#clean(piece.kind === 'picture' ? pictureInWords(piece) : missingInWords(piece)),
    };
  }

  #defuse(text: string, role: 'user' | 'assistant'): string {
    if (role !== 'user' || !MARKER.test(text)) return text;
    this.changes.defused += 1;
    return DEFUSED + text;
  }

  #result(call: HandedCall): string {
    const { target, callsAsText } = this.#preparation;
    const isSaid = call.end !== 'ok' && !(call.end === 'error' && target.tellsFailures && !callsAsText);
    const lost = target.hasPictures && !callsAsText ? [] : call.pictures.map(pictureInWords);
    this.changes.pictures += lost.length;
    const output = this.#shorten(this.#clean(call.result), call.key);
    const lines = [isSaid ? ENDS[call.end as keyof typeof ENDS] : '', /\S/.test(output) ? output : '', ...lost];
    const text = lines.filter((line) => line !== '').join('\n') || NO_OUTPUT;
    if (callsAsText || !target.resultMarker?.test(text)) return text;
    this.changes.defused += 1;
    return DEFUSED + text;
  }

  #shorten(text: string, key: string | undefined): string {
    if (text.length <= MAX_RESULT_CHARACTERS) return text;
    this.changes.shortened += 1;
    const half = MAX_RESULT_CHARACTERS / 2;
    const start = isHighSurrogate(text.charCodeAt(half - 1)) ? half - 1 : half;
    const end = isLowSurrogate(text.charCodeAt(text.length - half)) ? text.length - half + 1 : text.length - half;
    const { from } = this.#preparation;
    const where = key === undefined || !/^[\w.:-]+$/.test(key) ? from : `${from}#${key}`;
    const between = `[${end - start} characters are left out: ollm show ${where}]`;
    return `${text.slice(0, start)}\n${between}\n${text.slice(end)}`;
  }

  #name(name: string): string {
    if (TOOL_NAME.test(name)) return name;
    this.changes.names += 1;
    return name.replaceAll(/[^\w-]/g, '_').slice(0, 64) || 'tool';
  }

  #value(value: unknown): unknown {
    if (typeof value === 'string') return this.#clean(value);
    if (Array.isArray(value)) return value.map((element) => this.#value(element));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [this.#clean(name), this.#value(member)] as const),
    );
  }

  /** Whole characters, no secret. */
  #clean(text: string): string {
    const whole = text.toWellFormed();
    const redacted = this.#preparation.redact?.(whole);
    if (redacted === undefined) return whole;
    this.changes.secrets += redacted.count;
    return redacted.text;
  }

  #time(at: string | undefined): string {
    const time = writtenTime(at);
    if (time !== undefined && time > this.#at) this.#at = time;
    return this.#at;
  }
}

/**
 * A time as the programs read and sort it: in UTC, with milliseconds; undefined if there is none, or its year has more
 * than four digits.
 *
 * @example
 * writtenTime('2026-01-02T12:00:00+02:00'); // '2026-01-02T10:00:00.000Z'
 */
export function writtenTime(at: string | undefined): string | undefined {
  const ms = Date.parse(at ?? '');
  const time = Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
  return time !== undefined && /^\d{4}-/.test(time) ? time : undefined;
}

function missingInWords({ file, mediaType }: Extract<MessagePiece, { kind: 'missing' }>): string {
  return `[${file ?? 'picture'}, ${mediaType}: not carried]`;
}

function pictureInWords({ mediaType, base64 }: Picture): string {
  return `[Picture, ${mediaType}, ${Math.floor((base64.length * 3) / 4)} bytes: not carried]`;
}

function asTexts({ name, args, result, at }: Pick<WrittenCall, 'name' | 'args' | 'result' | 'at'>): WrittenMessage[] {
  const say = (role: 'user' | 'assistant', text: string): WrittenMessage => {
    return { kind: 'message', role, pieces: [{ kind: 'text', text }], at };
  };
  return [say('assistant', `[Called ${name}]\n${JSON.stringify(args)}`), say('user', `[Result of ${name}]\n${result}`)];
}
