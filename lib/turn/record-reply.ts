// What a model request brought, as events in one batch: the message with all that had arrived, the tools that were asked
// for, the tokens that were used. A reply of nothing leaves no message.
import type { EventData, NewOllmEvent } from '../events/index.ts';
import type { Part, TokenCount, Usage } from '../messages/index.ts';
import type { ModelToolCall } from '../providers/provider.ts';
import { storeText } from './long-text.ts';
import { createScrubber, type Scrubber } from './redact-event.ts';
import { partsOf, type Reply } from './reply.ts';
import type { TurnSignal } from './signals.ts';
import type { Turn } from './turn.ts';

/** One model request of a turn. */
export interface Step {
  readonly reply: Reply;
  /** XXH64 of the request; undefined if it was never made. */
  requestHash: string | undefined;
  /** Tokens of the request, as far as they can be told without the provider. */
  requestTokens: number;
  /** It was stopped because it repeated itself. */
  isChanting: boolean;
}

type Finish = EventData<'message.added'>['finish'];

export interface RecordOptions {
  readonly finish: Finish;
  /** Whether the calls get their answers: not after a cancelled or failed reply, which may hold half of them. */
  readonly withCalls: boolean;
}

/** Stores it; what there is to show comes back. */
export async function recordReply(turn: Turn, step: Step, { finish, withCalls }: RecordOptions): Promise<TurnSignal[]> {
  const { dependencies, number } = turn;
  const scrub = createScrubber(dependencies.redactor);
  const message = await messageOf(turn, step, scrub, finish);
  const calls = withCalls ? namedCalls(turn, step.reply.calls) : [];
  const requests = calls.map(({ callId, name, args }): NewOllmEvent => {
    return { type: 'tool.requested', turn: number, data: { callId, name, args: argsOf(scrub.json(args)) } };
  });
  const events = [
    ...scrub.findings('answer', number),
    ...message.events,
    ...requests,
    ...usageOf(turn, step, message.tokens),
    ...calls.flatMap((call) => denial(turn, call)),
  ];
  // The next request goes out after calls only.
  await turn.session.append(events, { durability: calls.length > 0 ? 'disk' : 'process' });
  return calls.map(({ callId, name }) => ({ type: 'tool_result', callId, status: 'denied', content: refusal(name) }));
}

interface Message {
  readonly events: readonly NewOllmEvent[];
  readonly tokens: TokenCount;
}

async function messageOf(
  { dependencies, number }: Turn,
  { reply }: Step,
  scrub: Scrubber,
  finish: Finish,
): Promise<Message> {
  const { provider, model, counter } = dependencies;
  const parts = scrub.parts(partsOf(reply, provider.name));
  if (parts.length === 0) return { events: [], tokens: { count: 0, method: 'counted' } };
  const tokens = counter.count(parts.map((part) => (part.type === 'text' ? part.text : '')).join(''));
  const data: EventData<'message.added'> = {
    role: 'assistant',
    parts: await inBlobsWhereLong(parts, dependencies.store),
    tokens: isPlainText(reply) && reply.usage ? { count: reply.usage.outputTokens, method: 'reported' } : tokens,
    trusted: false,
    model,
    provider: provider.name,
    ...(finish === undefined ? {} : { finish }),
  };
  return { events: [{ type: 'message.added', turn: number, data }], tokens };
}

async function inBlobsWhereLong(parts: readonly Part[], store: Turn['dependencies']['store']): Promise<Part[]> {
  const stored: Part[] = [];
  for (const part of parts) {
    if (part.type === 'text') stored.push(...(await storeText(part.text, store, 'answer.txt')).parts);
    else stored.push(part);
  }
  return stored;
}

/** Then the provider's count of its output is the count of this message. */
function isPlainText({ pieces, calls }: Reply): boolean {
  return calls.length === 0 && pieces.every(({ type }) => type === 'text');
}

function usageOf(turn: Turn, step: Step, output: TokenCount): NewOllmEvent[] {
  const { reply, requestHash, requestTokens } = step;
  const nothingCame = reply.usage === undefined && reply.pieces.length === 0 && reply.calls.length === 0;
  if (requestHash === undefined || (nothingCame && reply.finish === undefined)) return [];
  const usage: Usage = reply.usage ?? { inputTokens: requestTokens, outputTokens: output.count };
  turn.usage = turn.usage === undefined ? usage : sum(turn.usage, usage);
  const { provider, model } = turn.dependencies;
  const source = reply.usage ? 'provider' : 'estimate';
  const data = { ...usage, source, model, provider: provider.name, requestHash } as const;
  return [{ type: 'usage.reported', turn: turn.number, data }];
}

function sum(a: Usage, b: Usage): Usage {
  const optional = (name: 'cachedTokens' | 'totalCost') =>
    a[name] === undefined && b[name] === undefined ? {} : { [name]: (a[name] ?? 0) + (b[name] ?? 0) };
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...optional('cachedTokens'),
    ...optional('totalCost'),
  };
}

/** A call without an id, or with one that is taken, gets one: a result must find its call. */
function namedCalls({ number, steps }: Turn, calls: readonly ModelToolCall[]): ModelToolCall[] {
  const taken = new Set<string>();
  return calls.map((call, index) => {
    const isFree = typeof call.callId === 'string' && call.callId !== '' && !taken.has(call.callId);
    const callId = isFree ? call.callId : `call-${number}-${steps}-${index + 1}`;
    taken.add(callId);
    return { ...call, callId, name: call.name || 'unnamed' };
  });
}

function argsOf(args: unknown): EventData<'tool.requested'>['args'] {
  return (args ?? {}) as EventData<'tool.requested'>['args'];
}

/** No tools in this version: each call is answered in words, so that the next request is well-formed. */
function denial({ number, dependencies }: Turn, { callId, name }: ModelToolCall): NewOllmEvent[] {
  const reason = refusal(name);
  return [
    { type: 'tool.decided', turn: number, data: { callId, decision: 'deny', by: 'policy', rule: 'no-tools', reason } },
    {
      type: 'tool.finished',
      turn: number,
      data: {
        callId,
        status: 'denied',
        result: { llmContent: reason },
        tokens: dependencies.counter.count(reason),
        durationMs: 0,
        trusted: false,
      },
    },
  ];
}

function refusal(name: string): string {
  return `The tool ${name} was not run: this version runs no tools. Answer from what is in the conversation.`;
}
