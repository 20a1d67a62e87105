// Collects what a provider sends into one message, and holds it against the contract of the port. Work per signal is
// constant: chunks are joined once, at the end. An item that is not a signal ends the turn as a broken stream.
import { OllmError } from '../../errors/index.ts';
import type { Part, Usage } from '../../messages/index.ts';
import { quoted } from '../../providers/http/quoted.ts';
import type {
  FinishReason,
  InputUsage,
  ModelToolCall,
  ProviderSignal,
  ReportedUsage,
} from '../../providers/provider.ts';
import type { TurnSignal } from '../signals.ts';
import { boundedArguments } from './bounded-arguments.ts';

/** A reply without an end is stopped here (UTF-16 units of text). */
const MAX_REPLY_LENGTH = 32 * 1024 * 1024;
const MAX_CALLS = 128;
const MAX_WORD_LENGTH = 80;
const FINISH_REASONS: readonly FinishReason[] = ['stop', 'length', 'tool-calls', 'content-filter', 'other'];

type ReplyPiece =
  | { readonly type: 'text'; readonly chunks: string[] }
  | { readonly type: 'reasoning'; readonly chunks: string[]; readonly opaque?: string };

export interface Reply {
  readonly pieces: ReplyPiece[];
  readonly calls: ModelToolCall[];
  length: number;
  /** The usage of the input, as far as it is known before the answer ends. */
  input: InputUsage | undefined;
  usage: ReportedUsage | undefined;
  finish: FinishReason | undefined;
  /** The vendor's own word for an end that is not an ordinary one. */
  finishWord: string | undefined;
  /** By the stream of text: half a character, shown with its other half. */
  readonly halves: Map<string, string>;
}

export function emptyReply(): Reply {
  return {
    pieces: [],
    calls: [],
    length: 0,
    input: undefined,
    usage: undefined,
    finish: undefined,
    finishWord: undefined,
    halves: new Map(),
  };
}

/**
 * Adds a signal and returns the part of it for the screen. `named`: gives a call its id and name in the journal.
 * @throws OllmError PROVIDER_BROKEN_STREAM
 */
export function takeSignal(
  reply: Reply,
  signal: ProviderSignal,
  named: (call: ModelToolCall) => ModelToolCall = (call) => call,
): TurnSignal | undefined {
  if (reply.finish !== undefined) throw broken('it went on after its end');
  switch (signal?.type) {
    case 'text':
      addText(reply, 'text', signal.text);
      return shown(reply, 'text', signal.text, (content) => ({ type: 'delta', content }));
    case 'reasoning':
      return takeReasoning(reply, signal.text, signal.opaque);
    case 'tool-input':
      return { ...signal, type: 'tool_input', text: wholeCharacters(reply, `input ${signal.key}`, signal.text) };
    case 'tool-call':
      return takeCall(reply, signal.call, named);
    case 'input-usage':
      if (!isUsage(signal.usage)) throw broken('its token counts are not numbers');
      reply.input = signal.usage;
      return undefined;
    case 'usage':
      if (!isUsage(signal.usage)) throw broken('its token counts are not numbers');
      reply.usage = signal.usage;
      return undefined;
    case 'finish':
      if (!FINISH_REASONS.includes(signal.reason)) throw broken('its reason for the end is not a known one');
      reply.finish = signal.reason;
      if (typeof signal.word === 'string')
        reply.finishWord = quoted(signal.word).slice(0, MAX_WORD_LENGTH).toWellFormed();
      return undefined;
  }
  throw broken('it sent an item that is not part of an answer');
}

/** @throws OllmError PROVIDER_BROKEN_STREAM if the stream ended without an end of the answer */
export function requireFinish(reply: Reply): FinishReason {
  if (reply.finish === undefined) throw broken('it ended in the middle');
  return reply.finish;
}

/** The message so far. `providerName` marks opaque reasoning: it goes back only to the provider that made it. */
export function partsOf(reply: Reply, providerName: string): Part[] {
  return reply.pieces.map((piece): Part => {
    const text = piece.chunks.join('');
    if (piece.type === 'text') return { type: 'text', text };
    return {
      type: 'reasoning',
      ...(text === '' ? {} : { text }),
      ...(piece.opaque === undefined ? {} : { opaque: piece.opaque }),
      provider: providerName,
    };
  });
}

function takeCall(reply: Reply, raw: ModelToolCall, named: (call: ModelToolCall) => ModelToolCall): TurnSignal {
  if (typeof raw?.name !== 'string') throw broken('it asked for a tool without naming it');
  if (reply.calls.length >= MAX_CALLS) throw broken(`it asked for more than ${MAX_CALLS} tools at once`);
  const call = named({ ...raw, args: boundedArguments(raw.args) });
  reply.calls.push(call);
  return { type: 'tool_call', call };
}

function takeReasoning(reply: Reply, text: string | undefined, opaque: string | undefined): TurnSignal | undefined {
  if (text !== undefined) addText(reply, 'reasoning', text);
  if (opaque !== undefined) {
    if (typeof opaque !== 'string') throw broken('a piece of its reasoning is not text');
    reply.pieces.push({ type: 'reasoning', chunks: [], opaque });
  }
  return text === undefined
    ? undefined
    : shown(reply, 'reasoning', text, (content) => ({ type: 'reasoning', content }));
}

function shown(
  reply: Reply,
  stream: string,
  text: string,
  signalOf: (content: string) => TurnSignal,
): TurnSignal | undefined {
  const content = wholeCharacters(reply, stream, text);
  return content === '' ? undefined : signalOf(content);
}

/** Without the first half of a character at its end, which comes with the next text of the same stream. */
function wholeCharacters({ halves }: Reply, stream: string, text: string): string {
  const all = (halves.get(stream) ?? '') + text;
  const endsInHalf = /[\ud800-\udbff]$/.test(all);
  halves.set(stream, endsInHalf ? all.slice(-1) : '');
  return endsInHalf ? all.slice(0, -1) : all;
}

function addText(reply: Reply, type: 'text' | 'reasoning', text: unknown): void {
  if (typeof text !== 'string') throw broken('a piece of its text is not text');
  if (text === '') return;
  reply.length += text.length;
  if (reply.length > MAX_REPLY_LENGTH) throw broken(`it did not end after ${MAX_REPLY_LENGTH} characters`);
  const last = reply.pieces.at(-1);
  if (last?.type === type && !('opaque' in last)) last.chunks.push(text);
  else reply.pieces.push({ type, chunks: [text] });
}

/** A single number that the journal cannot store would lose the answer with it. */
function isUsage(usage: Partial<Usage> | undefined): boolean {
  const {
    inputTokens = 0,
    outputTokens = 0,
    cachedTokens = 0,
    cacheWriteTokens = 0,
    reasoningTokens = 0,
  } = usage ?? {};
  const counts = [inputTokens, outputTokens, cachedTokens, cacheWriteTokens, reasoningTokens];
  const cost = usage?.totalCost ?? 0;
  return (
    counts.every((count) => Number.isSafeInteger(count) && Number(count) >= 0) && Number.isFinite(cost) && cost >= 0
  );
}

function broken(why: string): OllmError {
  return new OllmError('PROVIDER_BROKEN_STREAM', `The answer of the provider could not be understood: ${why}.`, {
    hint: 'What had arrived is kept. Ask again, or choose another model.',
  });
}
