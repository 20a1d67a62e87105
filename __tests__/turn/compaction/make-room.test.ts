// A provider that refuses a conversation as too long, although it fits by the known size of its window.
import { lastValueFrom, toArray } from 'rxjs';
import { DEFAULT_COMPACTION } from '../../../lib/context/compaction/due.ts';
import { OllmError } from '../../../lib/errors/index.ts';
import { silentLog, systemClock } from '../../../lib/platform/index.ts';
import type { ModelRequest } from '../../../lib/providers/provider.ts';
import { estimatingCounter } from '../../../lib/tokens/estimate.ts';
import { runTurn, type TurnDependencies } from '../../../lib/turn/run-turn.ts';
import { memoryWorld, turnEvents, typesOf } from '../../session/world.ts';
import { fails, type Script, says, scriptedProvider } from '../../support/scripted-provider.ts';
import { callsTools } from '../tool-world.ts';

const refusal = new OllmError('CONTEXT_TOO_SMALL', 'The conversation is too long for m-1.');
const isSummary = ({ system }: ModelRequest) => system.startsWith('You write notes');
const sizeOf = ({ messages }: ModelRequest) => JSON.stringify(messages).length;

async function asked(script: Script, more: Partial<TurnDependencies> = {}, turns = 20) {
  const world = memoryWorld();
  const session = await world.create();
  for (let turn = 1; turn <= turns; turn++)
    await session.append(turnEvents(turn, `question ${turn} ${'word '.repeat(200)}`, `answer ${'word '.repeat(200)}`));
  const provider = scriptedProvider(script);
  const base = { provider, model: 'm-1', counter: estimatingCounter, store: world.store, clock: systemClock };
  const dependencies = { ...base, log: silentLog, compaction: DEFAULT_COMPACTION, contextWindow: 1_000_000, ...more };
  const signals = await lastValueFrom(runTurn(session, { text: 'Hi' }, dependencies).pipe(toArray()));
  const answers = provider.requests.filter((request) => !isSummary(request));
  return { signals, answers, types: await typesOf(world.store, 'notes') };
}

it('a provider that refuses a long conversation is asked again after a compaction, and answers', async () => {
  const script: Script = (request) =>
    isSummary(request) ? says('- a summary') : sizeOf(request) > 30_000 ? fails(refusal) : says('Here.');
  const { signals, answers, types } = await asked(script);
  expect(signals.at(-1)?.type).toBe('done');
  expect(answers).toHaveLength(2);
  expect(types.filter((type) => type === 'compaction.completed')).toHaveLength(1);
});

it('a provider that refuses a long conversation twice is not asked a third time', async () => {
  const { signals, answers } = await asked((request) => (isSummary(request) ? says('- a summary') : fails(refusal)));
  expect(signals.at(-1)).toMatchObject({ type: 'error', error: { code: 'CONTEXT_TOO_SMALL' } });
  expect(answers).toHaveLength(2);
});

it('a turn makes room once, however many requests it has', async () => {
  const { signals, answers, types } = await asked((request, _signal, round) => {
    if (isSummary(request)) return says('- a summary');
    return round === 2 ? callsTools({ name: 'nothing' }) : fails(refusal);
  });
  expect(signals.at(-1)).toMatchObject({ type: 'error', error: { code: 'CONTEXT_TOO_SMALL' } });
  expect(answers).toHaveLength(3);
  expect(types.filter((type) => type === 'compaction.completed')).toHaveLength(1);
});

it('a provider that refuses a long conversation is asked once if compactions are switched off', async () => {
  const compaction = { ...DEFAULT_COMPACTION, enabled: false };
  const { answers, types } = await asked(() => fails(refusal), { compaction });
  expect(answers).toHaveLength(1);
  expect(types).not.toContain('compaction.completed');
});

it('a provider that refuses a long conversation is asked once if nothing can be removed', async () => {
  const { signals, answers, types } = await asked(() => fails(refusal), {}, 0);
  expect(signals.at(-1)).toMatchObject({ type: 'error', error: { code: 'CONTEXT_TOO_SMALL' } });
  expect(answers).toHaveLength(1);
  expect(types).not.toContain('compaction.completed');
});
