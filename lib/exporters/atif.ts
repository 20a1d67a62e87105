// A session as a trajectory of the Agent Trajectory Interchange Format: one JSON document of steps. Source: RFC 0001 of
// Harbor, version 1.6. A step is written once its calls have their results: only open steps are in memory.
import type { OllmEvent, OllmEventOf } from '../events/index.ts';
import { timeOf } from '../events/time-of.ts';
import type { Part } from '../messages/index.ts';
import { isOnActiveBranch } from '../projections/branches.ts';
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

interface OpenStep {
  readonly step: Step;
  /** Ids of the calls that have no result yet; a program may give one twice. */
  waits: readonly string[];
  /** Id of the message that further pieces may have. */
  readonly message: string | undefined;
  /** More may come to it. */
  isOpen: boolean;
}

const MAX_OPEN_STEPS = 256;
const SYSTEM_TYPES = new Set<string>(['compaction.completed', 'retrieval.added', 'context.added']);

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
      else if (isOnActiveBranch(survey.branches, item.event.seq)) steps.take(item.event);
      else if (item.event.type === 'message.added') losses.add('undone message', 'undone messages');
    }
    yield write(steps.ready());
  }
  yield write(steps.end());
  const final = { ...steps.totals, total_steps: written };
  const extra = { title, cwd: created?.cwd, git: created?.git, parent: created?.parent };
  yield [`\n],\n"final_metrics":${JSON.stringify(final)},\n"extra":${JSON.stringify(extra)}}\n`];
}

/** The steps that are not written yet, in their order. */
class Steps {
  readonly #open: OpenStep[] = [];
  readonly #losses: Losses;
  /** Sums of what providers reported. */
  readonly totals: Record<string, number> = {};

  constructor(losses: Losses) {
    this.#losses = losses;
  }

  take(event: OllmEvent): void {
    switch (event.type) {
      case 'message.added':
        this.#takeMessage(event);
        return;
      case 'message.replaced':
        this.#losses.add('replaced message in its later form', 'replaced messages in their later form');
        return;
      case 'usage.reported':
        if (event.data.source === 'provider') this.#takeUsage(event);
        return;
      case 'tool.requested': {
        const { callId, name, args, message } = event.data;
        const open = this.#answer(event, message);
        open.step.tool_calls = [
          ...(open.step.tool_calls ?? []),
          { tool_call_id: callId, function_name: name, arguments: args },
        ];
        open.waits = [...open.waits, callId];
        return;
      }
      case 'tool.decided': {
        const { callId, decision, by, rule, args } = event.data;
        const step = this.#stepOf(callId)?.step;
        if (step) step.extra.decisions = { ...(step.extra.decisions ?? {}), [callId]: { decision, by, rule, args } };
        return;
      }
      case 'tool.finished':
        this.#takeResult(event);
        return;
      case 'turn.ended':
        this.#close();
        for (const open of this.#open) open.waits = [];
        return;
      default:
        this.#takeOther(event);
    }
  }

  /** The steps to which nothing more comes. */
  ready(): readonly Step[] {
    let count = this.#open.findIndex(({ isOpen, waits }) => isOpen || waits.length > 0);
    if (count < 0) count = this.#open.length;
    return this.#open.splice(0, Math.max(count, this.#open.length - MAX_OPEN_STEPS)).map(({ step }) => step);
  }

  end(): readonly Step[] {
    return this.#open.splice(0).map(({ step }) => step);
  }

  #takeMessage(event: OllmEventOf<'message.added'>): void {
    const { role, parts, message, model, finish, synthetic, author } = event.data;
    if (role !== 'assistant') {
      const source = role === 'system' || synthetic ? 'system' : 'user';
      this.#add({ source, message: this.#textOf(parts), extra: { seq: event.seq, author } }, event, { isOpen: false });
      return;
    }
    const { step } = this.#answer(event, message);
    if (model) step.model_name = model;
    if (finish !== undefined) step.extra.finish = finish;
    step.message = joined(step.message, this.#textOf(parts));
    const reasoning = parts.flatMap((part) => (part.type === 'reasoning' && part.text ? [part.text] : [])).join('\n\n');
    if (reasoning !== '') step.reasoning_content = joined(step.reasoning_content ?? '', reasoning);
  }

  #takeUsage({ data }: OllmEventOf<'usage.reported'>): void {
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

  #takeResult({ data }: OllmEventOf<'tool.finished'>): void {
    const { callId, status, result } = data;
    this.#losses.add('image', 'images', result.images?.length ?? 0);
    const open = this.#stepOf(callId);
    if (open === undefined) {
      this.#losses.add('result that came after its turn', 'results that came after their turns');
      return;
    }
    open.isOpen = false;
    open.waits = open.waits.toSpliced(open.waits.indexOf(callId), 1);
    const { step } = open;
    const results = step.observation?.results ?? [];
    step.observation = { results: [...results, { source_call_id: callId, content: result.llmContent }] };
    if (status !== 'ok') step.extra.failed = { ...(step.extra.failed ?? {}), [callId]: status };
  }

  /** Compactions, and events for which the format has no step. */
  #takeOther(event: OllmEvent): void {
    if (event.type === 'compaction.completed') {
      const { strategy, covers, summary = '', opaque } = event.data;
      if (opaque) this.#losses.add('summary that only its provider reads', 'summaries that only their providers read');
      const extra = { seq: event.seq, compaction: { strategy, covers } };
      this.#add({ source: 'system', message: summary, extra }, event, { isOpen: false });
    } else if (SYSTEM_TYPES.has(event.type)) {
      this.#losses.add('entry of the context', 'entries of the context');
    }
  }

  /** The step of the answer that the event is a piece of. */
  #answer(event: OllmEvent, message: string | undefined): OpenStep {
    const last = this.#open.at(-1);
    if (last?.isOpen && last.step.source === 'agent' && (message === undefined || last.message === message))
      return last;
    return this.#add({ source: 'agent', message: '', extra: { seq: event.seq } }, event, { isOpen: true, message });
  }

  #add(step: Step, event: OllmEvent, { isOpen, message }: { isOpen: boolean; message?: string | undefined }): OpenStep {
    this.#close();
    const open: OpenStep = { step: { ...step, timestamp: timeOf(event) }, waits: [], isOpen, message };
    this.#open.push(open);
    return open;
  }

  #close(): void {
    for (const open of this.#open) open.isOpen = false;
  }

  #stepOf(callId: string): OpenStep | undefined {
    return this.#open.findLast(({ waits }) => waits.includes(callId));
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

function joined(before: string, more: string): string {
  return before === '' || more === '' ? before + more : `${before}\n\n${more}`;
}
