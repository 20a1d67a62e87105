// A session as a trajectory of the Agent Trajectory Interchange Format: one JSON document of steps. Source: RFC 0001 of
// Harbor, version 1.6. A step is made of the items of the conversation, and written once the next one begins.
import type { EventData } from '../events/index.ts';
import type { Part } from '../messages/index.ts';
import { isOnActiveBranch } from '../projections/branches.ts';
import {
  addEvent,
  addItem,
  type ConversationCall,
  type ConversationItem,
  type ConversationMessage,
  emptyConversation,
  finishOf,
  partsOf,
  takeSettled,
} from '../projections/conversation.ts';
import type { ExportHead } from './head.ts';
import type { ExportItem } from './item.ts';
import { addUnread, type Losses } from './losses.ts';

const ATIF_VERSION = 'ATIF-v1.6';

interface Step {
  readonly source: 'system' | 'user' | 'agent';
  timestamp?: string | undefined;
  model_name?: string | undefined;
  message: string;
  reasoning_content?: string | undefined;
  tool_calls?: { tool_call_id: string; function_name: string; arguments: object }[];
  observation?: { results: { source_call_id: string; content: string }[] };
  metrics?: object;
  /** `seq` is always there, so that a step leads back to its event. */
  readonly extra: { readonly seq: number } & Record<string, unknown>;
}

type Usage = EventData<'usage.reported'>;
type StepItem = ConversationItem | { readonly kind: 'usage'; readonly data: Usage };

interface OpenStep {
  readonly step: Step;
  /** Id of the message that further pieces may have. */
  readonly message: string | undefined;
  /** seq of the first event after it; undefined while further pieces of the answer may come. */
  end: number | undefined;
  /** In the order in which the results came. */
  readonly results: { readonly seq: number; readonly callId: string; readonly content: string }[];
}

const ENTRY_TYPES = new Set<string>(['retrieval.added', 'context.added']);

export async function* exportAtif(
  items: AsyncIterable<readonly ExportItem[]>,
  { sessionId, survey }: Pick<ExportHead, 'sessionId' | 'survey'>,
  losses: Losses,
): AsyncGenerator<readonly string[], void, void> {
  const { created, title } = survey;
  const agent = {
    name: created?.origin?.agent ?? 'ollm',
    // The format wants a version, and the source may not say it.
    version: created?.origin === undefined ? (created?.ollm ?? 'unknown') : 'unknown',
    model_name: survey.models.at(-1)?.model,
  };
  const start = JSON.stringify({ schema_version: ATIF_VERSION, session_id: sessionId, agent });
  yield [`${start.slice(0, -1)},\n"steps":[`];
  const conversation = emptyConversation<Extract<StepItem, { readonly kind: 'usage' }>>();
  const steps = new Steps(losses);
  let written = 0;
  const write = (ready: readonly Step[]) =>
    ready.map(({ source, timestamp, model_name, message, reasoning_content, extra, ...rest }) => {
      written += 1;
      const step = { step_id: written, timestamp, source, model_name, message, reasoning_content, ...rest, extra };
      return `${written === 1 ? '' : ','}\n${JSON.stringify(step)}`;
    });
  for await (const batch of items) {
    for (const item of batch) {
      if (item.kind !== 'event') addUnread(losses, item);
      else if (!isOnActiveBranch(survey.branches, item.event.seq)) {
        if (item.event.type === 'message.added') losses.add('undone message', 'undone messages');
      } else if (item.event.type !== 'usage.reported') addEvent(conversation, item.event);
      else if (item.event.data.source === 'provider') addItem(conversation, { kind: 'usage', data: item.event.data });
    }
    yield write(steps.take(takeSettled(conversation)));
  }
  yield write(steps.take(takeSettled(conversation, { all: true })));
  yield write(steps.end());
  const final = { ...steps.totals, total_steps: written };
  const extra = { title, cwd: created?.cwd, git: created?.git, parent: created?.parent };
  yield [`\n],\n"final_metrics":${JSON.stringify(final)},\n"extra":${JSON.stringify(extra)}}\n`];
}

/** The steps that are not written yet, in their order. */
class Steps {
  #open: OpenStep[] = [];
  readonly #losses: Losses;
  /** Sums of what providers reported. */
  readonly totals: Record<string, number> = {};

  constructor(losses: Losses) {
    this.#losses = losses;
  }

  /** Answers with the steps to which nothing more comes. */
  take(items: readonly StepItem[]): readonly Step[] {
    for (const item of items) this.#take(item);
    return this.#open.splice(0, this.#open.length - 1).map(stepOf);
  }

  end(): readonly Step[] {
    return this.#open.splice(0).map(stepOf);
  }

  #take(item: StepItem): void {
    switch (item.kind) {
      case 'message':
        this.#takeMessage(item);
        return;
      case 'replaced':
        this.#losses.add('replaced message in its later form', 'replaced messages in their later form');
        return;
      case 'usage':
        this.#takeUsage(item.data);
        return;
      case 'call':
        this.#takeCall(item);
        return;
      case 'compaction': {
        const { strategy, covers, summary = '', opaque } = item.data;
        if (opaque)
          this.#losses.add('summary that only its provider reads', 'summaries that only their providers read');
        this.#add(
          { source: 'system', message: summary, extra: { seq: item.seq, compaction: { strategy, covers } } },
          item,
        );
        return;
      }
      case 'turn':
        return;
      case 'fact': {
        const last = this.#open.at(-1);
        if (item.event.type === 'turn.ended' && last !== undefined) last.end ??= item.seq;
        // The format has no step for them.
        if (ENTRY_TYPES.has(item.event.type)) this.#losses.add('entry of the context', 'entries of the context');
      }
    }
  }

  #takeMessage(item: ConversationMessage): void {
    const { role, message, model, synthetic, author } = item.data;
    const parts = partsOf(item);
    if (role !== 'assistant') {
      const source = role === 'system' || synthetic ? 'system' : 'user';
      this.#add({ source, message: this.#textOf(parts), extra: { seq: item.seq, author } }, item);
      return;
    }
    const { step } = this.#answer(item, message);
    if (model) step.model_name = model;
    const finish = finishOf(item);
    if (finish !== undefined) step.extra.finish = finish;
    step.message = joined(step.message, this.#textOf(parts));
    const reasoning = parts.flatMap((part) => (part.type === 'reasoning' && part.text ? [part.text] : [])).join('\n\n');
    if (reasoning !== '') step.reasoning_content = joined(step.reasoning_content ?? '', reasoning);
  }

  #takeUsage(data: Usage): void {
    const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, reasoningTokens, totalCost, model } = data;
    const sums = {
      total_prompt_tokens: inputTokens,
      total_completion_tokens: outputTokens,
      total_cached_tokens: cachedTokens,
      total_cost_usd: totalCost,
    };
    for (const [name, count] of Object.entries(sums)) {
      if (count !== undefined) this.totals[name] = (this.totals[name] ?? 0) + count;
    }
    const step = this.#open.findLast((open) => open.step.source === 'agent')?.step;
    if (step === undefined || data.purpose === 'summary') return;
    if (model !== '') step.model_name ??= model;
    step.metrics = {
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      cached_tokens: cachedTokens,
      cost_usd: totalCost,
      extra: { reasoning_tokens: reasoningTokens, cache_write_tokens: cacheWriteTokens },
    };
  }

  #takeCall(call: ConversationCall): void {
    const { callId, request, decision, end, late } = call;
    this.#losses.add('image', 'images', end?.result.images?.length ?? 0);
    if (request === undefined || late !== undefined) {
      if (end) this.#losses.add('result that came after its turn', 'results that came after their turns');
      return;
    }
    const open = this.#answer(call, request.message);
    const { step } = open;
    const asked = { tool_call_id: callId, function_name: request.name, arguments: request.args };
    step.tool_calls = [...(step.tool_calls ?? []), asked];
    if (decision !== undefined) {
      const { decision: decided, by, rule, args } = decision;
      step.extra.decisions = { ...(step.extra.decisions ?? {}), [callId]: { decision: decided, by, rule, args } };
    }
    if (end === undefined) return;
    open.end = Math.min(open.end ?? end.seq, end.seq);
    open.results.push({ seq: end.seq, callId, content: end.result.llmContent });
    if (end.status !== 'ok') step.extra.failed = { ...(step.extra.failed ?? {}), [callId]: end.status };
  }

  /** The step of the answer that the item is a piece of. */
  #answer(item: ConversationMessage | ConversationCall, message: string | undefined): OpenStep {
    const last = this.#open.at(-1);
    const isOpen = last !== undefined && last.step.source === 'agent' && item.seq <= (last.end ?? item.seq);
    if (isOpen && (message === undefined || last.message === message)) return last;
    return this.#add({ source: 'agent', message: '', extra: { seq: item.seq } }, item, message);
  }

  #add(step: Step, { ts }: Pick<ConversationItem, 'ts'>, message?: string | undefined): OpenStep {
    const open: OpenStep = { step: { ...step, timestamp: ts }, message, end: undefined, results: [] };
    this.#open.push(open);
    return open;
  }

  #textOf(parts: readonly Part[]): string {
    const texts: string[] = [];
    for (const part of parts) {
      if (part.type === 'text') texts.push(part.text);
      else if (part.type === 'image') this.#losses.add('image', 'images');
      else if (part.type === 'file') this.#losses.add('file', 'files');
      else if (part.opaque !== undefined) this.#losses.add('encrypted reasoning', 'pieces of encrypted reasoning');
    }
    return texts.join('\n\n');
  }
}

function stepOf({ step, results }: OpenStep): Step {
  if (results.length === 0) return step;
  const ofCalls = results.sort((one, other) => one.seq - other.seq);
  return {
    ...step,
    observation: { results: ofCalls.map(({ callId, content }) => ({ source_call_id: callId, content })) },
  };
}

function joined(before: string, more: string): string {
  return before === '' || more === '' ? before + more : `${before}\n\n${more}`;
}
