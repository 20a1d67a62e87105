// The outcome of a model request as events in one batch: the message with all that had arrived, the tools that were
// asked for, the tokens that were used. An empty reply leaves no message.
import type { EventData, NewOllmEvent } from '../../events/index.ts';
import type { TokenCount, Usage } from '../../messages/index.ts';
import type { ModelToolCall } from '../../providers/provider.ts';
import { storeLongTexts } from '../../session/long-text.ts';
import { estimateCall } from '../../tokens/estimate.ts';
import { createScrubber, type Scrubber } from '../redact-event.ts';
import type { Turn } from '../turn.ts';
import { countedUsage } from './counted.ts';
import { partsOf, type Reply } from './reply.ts';

/** A single model request of a turn. */
export interface RequestStep {
  /** Replaced when the request is made again. */
  reply: Reply;
  /** Whether the request was made. */
  isSent: boolean;
  /** Tokens of the request, as counted without the provider. */
  requestTokens: number;
  /** It was stopped because it repeated itself. */
  isChanting: boolean;
}

type Finish = EventData<'message.added'>['finish'];

export interface RecordOptions {
  readonly finish: Finish;
  /** Whether the calls are to run: not after a cancelled or failed reply, which may hold half of them. */
  readonly withCalls: boolean;
}

/** Stores it; the calls that are to run come back. */
export async function recordReply(
  turn: Turn,
  step: RequestStep,
  { finish, withCalls }: RecordOptions,
): Promise<readonly ModelToolCall[]> {
  const { dependencies, number } = turn;
  const scrub = createScrubber(dependencies.redactor);
  const message = await messageOf(turn, step, scrub, finish);
  const calls = withCalls ? step.reply.calls : [];
  const requests = calls.map(({ callId, name, args }): NewOllmEvent => {
    const clean = argsOf(scrub.json(args));
    const tokens = estimateCall({ name, args: clean });
    return { type: 'tool.requested', turn: number, data: { callId, name, tokens, args: clean } };
  });
  const events = [
    ...scrub.findings('answer', number),
    ...message.events,
    ...requests,
    ...usageOf(turn, step, message.tokens),
  ];
  // On the device with tool.started, or with what ends the turn.
  await turn.session.append(events);
  return calls;
}

interface Message {
  readonly events: readonly NewOllmEvent[];
  readonly tokens: TokenCount;
}

async function messageOf(
  { session, dependencies, number }: Turn,
  { reply }: RequestStep,
  scrub: Scrubber,
  finish: Finish,
): Promise<Message> {
  const { provider, model, counter } = dependencies;
  const parts = scrub.parts(partsOf(reply, provider.name));
  if (parts.length === 0) return { events: [], tokens: { count: 0, method: 'counted' } };
  const tokens = counter.count(parts.map((part) => (part.type === 'text' ? part.text : '')).join(''));
  const data: EventData<'message.added'> = {
    role: 'assistant',
    parts: await storeLongTexts(parts, (bytes) => dependencies.store.putBlob(bytes, session.id)),
    tokens: reportedTokens(reply) ?? tokens,
    trusted: false,
    model,
    provider: provider.name,
    finish,
  };
  return { events: [{ type: 'message.added', turn: number, data }], tokens };
}

/**
 * The provider's count of this text: only where the provider says how much of its output was reasoning. Elsewhere its
 * output may hold reasoning that is hidden.
 */
function reportedTokens({ calls, usage }: Reply): TokenCount | undefined {
  if (usage?.reasoningTokens === undefined || usage.reasoningTokens === 0 || calls.length > 0) return undefined;
  const count = (usage.outputTokens ?? 0) - usage.reasoningTokens;
  return count > 0 ? { count, method: 'reported' } : undefined;
}

function usageOf(turn: Turn, step: RequestStep, output: TokenCount): NewOllmEvent[] {
  const { reply, isSent, requestTokens } = step;
  const isKnown = reply.usage !== undefined || reply.input !== undefined || reply.finish !== undefined;
  const hasContent = reply.pieces.length > 0 || reply.calls.length > 0;
  if (!isSent || (!isKnown && !hasContent)) return [];
  const { usage, source } = countedUsage(reply, { inputTokens: requestTokens, outputTokens: output.count });
  turn.usage = turn.usage === undefined ? usage : sum(turn.usage, usage);
  const { provider, model } = turn.dependencies;
  const estimatedTokens = source === 'provider' ? undefined : requestTokens;
  const data = { ...usage, estimatedTokens, source, model, provider: provider.name } as const;
  return [{ type: 'usage.reported', turn: turn.number, data }];
}

/** With the members that either has. */
function sum(a: Usage, b: Usage): Usage {
  const names = Object.keys({ ...a, ...b }) as (keyof Usage)[];
  return { ...a, ...Object.fromEntries(names.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)])) };
}

function argsOf(args: unknown): EventData<'tool.requested'>['args'] {
  return (args ?? {}) as EventData<'tool.requested'>['args'];
}
