// Models, tools and users that do anything: whatever happens in a turn, the session continues, the journal replays to
// the states that the session has, every call has exactly one result, and every request is well-formed.
import fc from 'fast-check';
import { lastValueFrom, toArray } from 'rxjs';
import { OllmError } from '../../lib/errors/index.ts';
import type { ModelRequest, ProviderSignal } from '../../lib/providers/provider.ts';
import { openSession } from '../../lib/session/open.ts';
import type { Decision } from '../../lib/tools/decision.ts';
import { ToolFailure } from '../../lib/tools/tool.ts';
import { createToolbox } from '../../lib/tools/toolbox.ts';
import { runTurn } from '../../lib/turn/run-turn.ts';
import type { TurnSignal } from '../../lib/turn/signals.ts';
import { eventsOf, OPTIONS } from '../session/world.ts';
import { forever, says } from '../support/scripted-provider.ts';
import { ALLOW, type Args, ASK, DENY, testTool, toolWorld } from './tool-world.ts';

const NAMES = ['reads', 'writes', 'throws', 'fails', 'hangs', 'empty', 'huge', 'odd', 'nothing-like-it', '', 'a b'];

const reply = fc.record({
  text: fc.constantFrom('', 'So.', 'I will look.'),
  calls: fc.array(
    fc.record({
      callId: fc.constantFrom('c1', 'c2', '', 'ü', 'x'.repeat(300), 'call-1-1-1'),
      name: fc.constantFrom(...NAMES),
      args: fc.oneof(
        fc.constantFrom({}, { text: 'a' }, { text: 7 }, 'no json', null, [1]),
        fc.dictionary(fc.string(), fc.integer()),
      ),
    }),
    { maxLength: 5 },
  ),
  end: fc.constantFrom('finish', 'finish', 'finish', 'throw', 'busy', 'break-off', 'hang', 'twice'),
});
const answer = fc.constantFrom('once', 'always', 'no', 'edit', 'edit-badly', 'hang', 'throw');
const decision = fc.constantFrom<Decision>(ALLOW, ALLOW, ASK, ASK, DENY);
const scene = fc.record({
  replies: fc.array(reply, { minLength: 1, maxLength: 6 }),
  answers: fc.array(answer, { minLength: 1, maxLength: 6 }),
  decisions: fc.array(decision, { minLength: 1, maxLength: 6 }),
  cancelAt: fc.option(fc.nat(12), { nil: undefined }),
  approver: fc.boolean(),
  keeps: fc.boolean(),
  window: fc.constantFrom(undefined, 600, 4_000),
  turns: fc.integer({ min: 1, max: 3 }),
});

type Scene = typeof scene extends fc.Arbitrary<infer Value> ? Value : never;

async function* replying({ text, calls, end }: Scene['replies'][number]): AsyncGenerator<ProviderSignal> {
  if (text !== '') yield { type: 'text', text };
  for (const call of calls) yield { type: 'tool-call', call };
  if (end === 'throw') throw new TypeError('x is null');
  if (end === 'busy') throw new OllmError('PROVIDER_FAILED', 'Busy.', { data: { retryable: true } });
  if (end === 'break-off') return;
  if (end === 'hang') await forever();
  yield { type: 'finish', reason: calls.length > 0 ? 'tool-calls' : 'stop' };
  if (end === 'twice') yield { type: 'finish', reason: 'stop' };
}

const TOOLS = [
  testTool({ name: 'reads', reads: true, run: (args: Args) => ({ content: `read ${JSON.stringify(args)}` }) }),
  testTool({ name: 'writes' }),
  testTool({ name: 'throws', run: () => Promise.reject(new TypeError('no')) }),
  testTool({ name: 'fails', reads: true, run: () => Promise.reject(new ToolFailure('Not that way.')) }),
  testTool({
    name: 'hangs',
    reads: true,
    run: (_args, { signal }) =>
      new Promise((_, no) => signal.addEventListener('abort', () => no(new Error('aborted')))),
  }),
  testTool({ name: 'empty', run: () => ({ content: '' }) }),
  testTool({ name: 'huge', reads: true, run: () => ({ content: 'word '.repeat(40_000) }) }),
  testTool({ name: 'odd', run: () => ({ content: 7 }) as never }),
];

/**
 * What every provider wants of the messages: results right after their calls, one for each, ids that are there once.
 */
function problemsOf({ messages }: ModelRequest): string[] {
  const seen = new Set<string>();
  return messages.flatMap((message, index) => {
    const before = messages[index - 1];
    const asked = before?.role === 'assistant' ? before.toolCalls.map(({ callId }) => callId) : [];
    const answered = message.role === 'tool' ? message.results.map(({ callId }) => callId) : [];
    const twice = answered.filter((id) => seen.has(id));
    for (const id of answered) seen.add(id);
    return [
      ...(asked.join() === answered.join() ? [] : [`${index}: asked ${asked}, answered ${answered}`]),
      ...(twice.length === 0 ? [] : [`${index}: answered twice: ${twice}`]),
      ...(message.role === 'assistant' && index === messages.length - 1 && message.toolCalls.length > 0
        ? ['open']
        : []),
    ];
  });
}

async function play(scene: Scene) {
  let asked = 0;
  let decided = 0;
  let shown = 0;
  let cancel = new AbortController();
  const { replies, answers, decisions } = scene;
  const world = await toolWorld({
    script: (_request, _signal, round) => {
      const next = replies[round];
      return next === undefined ? says(`Done ${round}.`) : replying(next);
    },
    tools: TOOLS,
    decision: () => decisions[decided++ % decisions.length] ?? ALLOW,
    ...(scene.approver
      ? {
          answer: async () => {
            const kind = answers[asked++ % answers.length];
            if (kind === 'hang') return forever();
            if (kind === 'throw') throw new Error('The terminal is gone.');
            if (kind === 'edit') return { kind: 'edit', args: { text: 'other' } };
            if (kind === 'edit-badly') return { kind: 'edit', args: 'nonsense' };
            if (kind === 'no') return { kind: 'no', words: 'Not now.' };
            return { kind: kind === 'always' ? 'always' : 'once' };
          },
        }
      : {}),
    toolSettings: { timeoutMs: 15, keepsOutputs: scene.keeps },
    more: { retries: { baseDelayMs: 0 }, silenceTimeoutMs: 15, contextWindow: scene.window, maxSteps: 8 },
  });
  // An answer that never comes ends only with the turn.
  const patience = setInterval(() => cancel.abort(), 120);
  const all: TurnSignal[][] = [];
  for (let turn = 0; turn < scene.turns; turn += 1) {
    cancel = new AbortController();
    const signals$ = runTurn(world.session, { text: `Question ${turn}` }, world.dependencies, {
      signal: cancel.signal,
    });
    const signals: TurnSignal[] = [];
    await new Promise<void>((resolve, reject) =>
      signals$.subscribe({
        next(signal) {
          signals.push(signal);
          shown += 1;
          if (shown === scene.cancelAt) cancel.abort();
        },
        error: reject,
        complete: resolve,
      }),
    );
    all.push(signals);
  }
  clearInterval(patience);
  return { ...world, all };
}

it('a turn never leaves anything open, with any model, tools and user', async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (scene) => {
      const { all, session, store, provider, dependencies } = await play(scene);
      for (const signals of all) {
        const ends = signals.filter(({ type }) => ['done', 'error', 'cancelled'].includes(type));
        expect(ends).toHaveLength(1);
        expect(signals.at(-1)).toBe(ends[0]);
        expect(ends[0]).not.toMatchObject({ error: { code: 'INTERNAL' } });
      }
      const events = await eventsOf(store, 'notes');
      const ids = (type: string) => events.flatMap((event) => (event.type === type ? [String(event.data.callId)] : []));
      expect(ids('tool.finished').toSorted()).toEqual(ids('tool.requested').toSorted());
      expect(new Set(ids('tool.requested')).size).toBe(ids('tool.requested').length);
      expect(ids('tool.started').every((id) => ids('tool.decided').includes(id))).toBe(true);
      expect(new Set(ids('tool.started')).size).toBe(ids('tool.started').length);
      expect(session.states.openEnds).toEqual({ turns: scene.turns, calls: [] });
      expect(provider.requests.flatMap(problemsOf)).toEqual([]);

      // It continues, in a new process too.
      const states = JSON.stringify(session.states.view.timeline.entries);
      await session.close('exit');
      await store.removeDocument('notes', 'state');
      const again = await openSession(store, 'notes', OPTIONS);
      expect(JSON.stringify(again.states.view.timeline.entries)).toBe(states);
      const working = {
        ...dependencies,
        tools: { ...dependencies.tools!, toolbox: createToolbox([]) },
        contextWindow: 4_000,
      };
      const requests: ModelRequest[] = [];
      const stream = (request: ModelRequest) => {
        requests.push(request);
        return says('fine');
      };
      const calm = { ...working, provider: { ...provider, stream } };
      const signals = await lastValueFrom(runTurn(again, { text: 'And now?' }, calm).pipe(toArray()));
      expect(signals.at(-1)?.type).toBe('done');
      expect(requests.flatMap(problemsOf)).toEqual([]);
      await again.close('exit');
    }),
    { numRuns: 100 },
  );
});
