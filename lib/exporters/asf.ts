// A session in the Agent Session Format: JSON lines, a header and then entries that each name the one before. Source:
// RFC 0001 of agentsession, draft 0.2, with items of Open Responses. Each event has at least one entry, `e<seq>`, so an
// undo is a branch in the file too. Events for which the format has no type are `custom` entries.
import type { EventData, OllmEvent, OllmEventOf } from '../events/index.ts';
import { timeOf } from '../events/time-of.ts';
import type { Part } from '../messages/index.ts';
import { type Branches, branchesAt } from '../projections/branches.ts';
import { VERSION } from '../version.ts';
import type { ExportHead } from './head.ts';
import type { ExportItem } from './item.ts';
import { addUnread, type Losses } from './losses.ts';

const ASF_VERSION = 'agentsession/0.2';
const PAYLOAD = 'openresponses/2026-04-24';
/** Namespace of events for which the format has no type. */
const NAMESPACE = 'dev.ollm';
const MAX_OPEN_CALLS = 256;

type Entry = Readonly<Record<string, unknown>>;

export async function* exportAsf(
  items: AsyncIterable<readonly ExportItem[]>,
  { sessionId, survey }: Pick<ExportHead, 'sessionId' | 'survey'>,
  losses: Losses,
): AsyncGenerator<readonly string[], void, void> {
  const { created, startedAt } = survey;
  yield [
    lineOf({
      type: 'session',
      format: ASF_VERSION,
      id: sessionId,
      created_at: startedAt ?? UNKNOWN_TIME,
      payload: PAYLOAD,
      harness: { name: created?.origin?.agent ?? 'ollm', version: created?.origin ? undefined : created?.ollm },
      exported_by: { name: 'ollm', version: VERSION },
      cwd: created?.cwd,
      parent_session: created?.parent?.sessionId ?? created?.subagentOf?.sessionId,
      media: 'inline',
    }),
  ];
  if (startedAt === undefined) losses.add('unknown time, and 1970 is in its place', 'unknown times');
  const writer = new Entries(survey.branches, losses);
  for await (const batch of items) {
    yield batch.flatMap((item) => {
      if (item.kind === 'event') return writer.take(item.event);
      addUnread(losses, item);
      return item.kind === 'unknown' ? writer.keep(item.envelope) : [];
    });
  }
  yield writer.end();
}

function lineOf(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** An answer of the model. Its `response` entry comes after its items. */
interface OpenAnswer {
  readonly seq: number;
  readonly at: OllmEvent;
  readonly message: string | undefined;
  hasCalls: boolean;
  finish?: EventData<'message.added'>['finish'];
  usage?: EventData<'usage.reported'>;
}

class Entries {
  readonly #losses: Losses;
  #parent: string | null = null;
  #settings: Record<string, unknown> = {};
  #answer: OpenAnswer | undefined;
  /** The open run. `last`: its last answer. */
  #run: { id: string; failed?: boolean; last?: OpenAnswer | undefined } | undefined;
  /** Calls without an output, by their ids. */
  readonly #calls = new Map<string, { entry: string; isDispatched: boolean }>();
  /** Events whose first entry is not their last one. */
  readonly #inPieces = new Set<number>();
  readonly #branches: Branches;
  #lastTime: string | undefined;

  constructor(branches: Branches, losses: Losses) {
    this.#branches = branches;
    this.#losses = losses;
  }

  take(event: OllmEvent): string[] {
    const lines = this.#isPieceOfAnswer(event) ? [] : this.#closeAnswer();
    if (event.type === 'branch.moved') this.#parent = `e${event.data.head}`;
    const entries = this.#entriesOf(event);
    if (entries.length > 1) this.#inPieces.add(event.seq);
    entries.forEach((entry, index) => {
      const id = index === entries.length - 1 ? `e${event.seq}` : `e${event.seq}.${index}`;
      lines.push(this.#line(id, event, entry));
    });
    return lines;
  }

  /** An event that this version does not know. */
  keep(envelope: { readonly seq: number; readonly ts: string; readonly type: string }): string[] {
    const { seq, type } = envelope;
    return [
      ...this.#closeAnswer(),
      this.#write(`e${seq}`, envelope.ts || undefined, { type: 'custom', ns: NAMESPACE, data: { type } }, { seq }),
    ];
  }

  end(): string[] {
    return this.#closeAnswer();
  }

  #isPieceOfAnswer({ type, data }: OllmEvent): boolean {
    if (this.#answer === undefined) return true;
    if (type === 'usage.reported' || type === 'message.streamed') return true;
    if (type === 'tool.requested') return data.message === undefined || data.message === this.#answer.message;
    return (
      type === 'message.added' &&
      data.role === 'assistant' &&
      data.message !== undefined &&
      data.message === this.#answer.message
    );
  }

  #line(id: string, event: OllmEvent, entry: Entry): string {
    return this.#write(id, timeOf(event), entry, { seq: event.seq, turn: event.turn });
  }

  #write(id: string, at: string | undefined, { type, ...rest }: Entry, ollm: object): string {
    this.#lastTime = at ?? this.#lastTime;
    const parent = this.#parent;
    this.#parent = id;
    // The format wants a time in every entry, and some programs store none.
    return lineOf({ type, id, parent, ts: this.#lastTime ?? UNKNOWN_TIME, ...rest, ollm });
  }

  #closeAnswer(): string[] {
    const answer = this.#answer;
    if (answer === undefined) return [];
    this.#answer = undefined;
    if (this.#run) this.#run.last = answer;
    const { seq, at, usage, finish, message } = answer;
    const isWhole = finish !== 'cancelled' && finish !== 'failed' && finish !== 'length' && finish !== 'content-filter';
    return [
      this.#line(`r${seq}`, at, {
        type: 'response',
        response_id: message ?? `r${seq}`,
        model: usage?.model || (this.#settings.model ?? ''),
        status: finish === 'failed' ? 'failed' : isWhole ? 'completed' : 'incomplete',
        usage: usage?.source === 'provider' ? usageOf(usage) : null,
        incomplete: isWhole ? null : { reason: finish === 'length' ? 'max_output_tokens' : finish },
        error: null,
      }),
    ];
  }

  #entriesOf(event: OllmEvent): readonly Entry[] {
    switch (event.type) {
      case 'session.created': {
        const { model, provider, cwd, git } = event.data;
        this.#settings = { model, extra: { provider } };
        const config = { type: 'config', ...this.#settings, replace: true };
        if (cwd === undefined) return [config];
        const vcs = git?.commit === undefined ? undefined : { system: 'git', revision: git.commit };
        return [config, { type: 'env', cwd, vcs }];
      }
      case 'model.changed': {
        const { model, provider, thinking } = event.data;
        const reasoning = thinking === undefined ? undefined : { effort: thinking };
        this.#settings = { ...this.#settings, model, reasoning, extra: { provider } };
        return [{ type: 'config', model, reasoning, extra: { provider } }];
      }
      case 'turn.started':
        this.#run = { id: `run${event.seq}` };
        this.#calls.clear();
        return [{ type: 'run', run_id: this.#run.id, phase: 'start', source: 'input' }];
      case 'turn.ended':
        return [this.#runEnd(event)];
      case 'message.added':
        return this.#messageEntries(event);
      case 'tool.requested':
        return [this.#callEntry(event)];
      case 'tool.decided':
        return this.#decisionEntries(event);
      case 'tool.started':
        return this.#dispatchEntries(event);
      case 'tool.finished': {
        const { callId, result, status } = event.data;
        this.#calls.delete(callId);
        this.#losses.add('image', 'images', result.images?.length ?? 0);
        const item = { type: 'function_call_output', call_id: callId, output: result.llmContent };
        return [{ type: 'item', item, status: status === 'ok' ? undefined : status }];
      }
      case 'compaction.completed':
        return [custom(event), ...this.#compactionEntries(event)];
      case 'compaction.undone':
        this.#losses.add('compaction that was taken back', 'compactions that were taken back');
        return [custom(event)];
      case 'message.replaced':
        this.#losses.add('replaced message in its later form', 'replaced messages in their later form');
        return [custom(event)];
      case 'session.titled':
        return [{ type: 'info', name: event.data.title }];
      case 'usage.reported':
        if (this.#answer !== undefined && event.data.purpose !== 'summary') this.#answer.usage = event.data;
        return [custom(event)];
      case 'context.added':
      case 'retrieval.added':
        this.#losses.add(
          'entry of the context as a part of its requests',
          'entries of the context as parts of their requests',
        );
        return [custom(event)];
      default:
        return [custom(event)];
    }
  }

  #messageEntries(event: OllmEventOf<'message.added'>): readonly Entry[] {
    const { role, parts, finish, message, synthetic } = event.data;
    const isAnswer = role === 'assistant';
    if (isAnswer) {
      this.#answer ??= { seq: event.seq, at: event, message, hasCalls: false };
      if (finish !== undefined) this.#answer.finish = finish;
    }
    const response = isAnswer ? (message ?? `r${this.#answer!.seq}`) : undefined;
    const entries: Entry[] = parts.flatMap((part) =>
      part.type === 'reasoning' ? [{ type: 'item', item: reasoningItem(part), response }] : [],
    );
    const content = parts.flatMap((part) => this.#contentOf(part, isAnswer));
    if (content.length > 0 || entries.length === 0) {
      const status = isAnswer
        ? finish === 'cancelled' || finish === 'failed'
          ? 'incomplete'
          : 'completed'
        : undefined;
      const item = { type: 'message', role, content, status };
      entries.push({ type: 'item', item, response, visible: synthetic ? false : undefined });
    }
    return entries;
  }

  #contentOf(part: Part, isAnswer: boolean): readonly object[] {
    if (part.type === 'text') {
      return [
        isAnswer ? { type: 'output_text', text: part.text, annotations: [] } : { type: 'input_text', text: part.text },
      ];
    }
    if (part.type === 'image') this.#losses.add('image', 'images');
    if (part.type === 'file') this.#losses.add('file', 'files');
    return [];
  }

  #callEntry(event: OllmEventOf<'tool.requested'>): Entry {
    const { callId, name, args, message } = event.data;
    this.#answer ??= { seq: event.seq, at: event, message, hasCalls: true };
    this.#answer.hasCalls = true;
    if (this.#calls.size >= MAX_OPEN_CALLS) this.#calls.delete([...this.#calls.keys()][0]!);
    this.#calls.set(callId, { entry: `e${event.seq}`, isDispatched: false });
    const item = { type: 'function_call', call_id: callId, name, arguments: JSON.stringify(args), status: 'completed' };
    return { type: 'item', item, response: message ?? `r${this.#answer.seq}` };
  }

  /** Only where a person answered, a call was refused, or its arguments were changed: else its dispatch says it. */
  #decisionEntries(event: OllmEventOf<'tool.decided'>): readonly Entry[] {
    const { callId, decision, by, reason, args, rule } = event.data;
    const target = this.#calls.get(callId)?.entry;
    const decider = { user: 'human', policy: 'policy', grant: 'policy', agent: 'agent', import: undefined }[by];
    const about = { type: 'decision', call_id: callId, target };
    if (target === undefined || (decision === 'allow' && by !== 'user' && args === undefined)) return [custom(event)];
    const verdict = decision === 'allow' ? 'proceed' : 'reject';
    const answer = { ...about, verdict, by: decider, reason: reason ?? rule, args };
    return by === 'user' ? [{ ...about, verdict: 'hold', by: 'policy' }, answer] : [answer];
  }

  #dispatchEntries(event: OllmEventOf<'tool.started'>): readonly Entry[] {
    const { callId, subagent } = event.data;
    const call = this.#calls.get(callId);
    if (call === undefined) return [custom(event)];
    call.isDispatched = true;
    const link = { type: 'link', rel: 'subsession', session: subagent, call_id: callId };
    return [...(subagent === undefined ? [] : [link]), { type: 'dispatch', call_id: callId, target: call.entry }];
  }

  #runEnd({ data: { status, error } }: OllmEventOf<'turn.ended'>): Entry {
    const run = this.#run;
    this.#run = undefined;
    const pending = [...this.#calls.keys()];
    const isCut = run?.last?.finish === 'cancelled' || run?.last?.finish === 'failed';
    const reason =
      status === 'failed'
        ? 'error'
        : pending.length > 0 || isCut
          ? 'aborted'
          : run?.last?.hasCalls
            ? 'stopped'
            : 'done';
    this.#calls.clear();
    return { type: 'run', run_id: run?.id ?? 'run', phase: 'end', reason, ref: error?.code ?? status, pending };
  }

  /** What takes the place of the history: a summary, or messages, the first of which is the summary here. */
  #compactionEntries({ seq, data }: OllmEventOf<'compaction.completed'>): readonly Entry[] {
    const { keptFrom, summary = '', tokensBefore, messages, opaque } = data;
    if (opaque) this.#losses.add('summary that only its provider reads', 'summaries that only their providers read');
    const [first = summaryItem(summary), ...rest] = (messages ?? []).map(({ role, parts }) => ({
      type: 'message',
      role,
      content: parts.flatMap((part) => this.#contentOf(part, role === 'assistant')),
    }));
    const compaction = {
      type: 'compaction',
      first_kept: this.#firstEntry(messages === undefined ? keptFrom : seq, seq),
      summary: first,
      config: this.#settings,
      tokens_before: tokensBefore,
    };
    return [compaction, ...rest.map((item) => ({ type: 'item', item }))];
  }

  /** The first entry on the path of the events from `from` on, at most that of `seq` itself. */
  #firstEntry(from: number, seq: number): string {
    const { stretches, from: newest } = branchesAt(this.#branches, seq);
    const stretch = [...stretches, { from: newest, to: seq }].find(({ to }) => to >= from);
    const first = Math.min(Math.max(from, stretch?.from ?? seq), seq);
    return first === seq || this.#inPieces.has(first) ? `e${first}.0` : `e${first}`;
  }
}

function summaryItem(text: string): object {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

/** Where a program stores no times: that of no session. */
const UNKNOWN_TIME = '1970-01-01T00:00:00.000Z';

function custom({ type, data }: OllmEvent): Entry {
  return { type: 'custom', ns: NAMESPACE, data: { type, ...data } };
}

function reasoningItem({ text, opaque }: Extract<Part, { type: 'reasoning' }>): object {
  const summary = text === undefined ? [] : [{ type: 'summary_text', text }];
  return { type: 'reasoning', summary, encrypted_content: opaque };
}

function usageOf({ inputTokens, outputTokens, cachedTokens, reasoningTokens }: EventData<'usage.reported'>): object {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens ?? 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens ?? 0 },
    total_tokens: inputTokens + outputTokens,
  };
}
