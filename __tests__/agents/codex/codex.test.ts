import { join } from 'node:path';
import { codex } from '../../../lib/agents/codex/codex.ts';
import { discover } from '../../../lib/agents/discover.ts';
import { readHead } from '../../../lib/agents/head.ts';
import { countedEntries } from '../../../lib/projections/timeline.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, files, statesOf as statesAfter, textsInView } from '../reading.ts';

const UUID = '01a205f2-5f59-7ee2-bcf7-73d0a53775da';

describeAgent(codex, { real: (path) => /\/codex\/.*\.jsonl$/.test(path) && !path.includes('/exec-json/') });

describe('a session of Codex', () => {
  it('counts usage once for each answer, however often it is stated', async () => {
    const { budget } = await statesOf('one-turn');
    expect(budget.spent).toMatchObject({ calls: 2, inputTokens: 2130, outputTokens: 120, cachedTokens: 1800 });
  });

  it('does not count usage again that a fork copied', async () => {
    const { budget } = await statesOf('fork');
    expect(budget.spent).toMatchObject({ calls: 1, inputTokens: 120, outputTokens: 10 });
  });

  it('has no undone turns in its view', async () => {
    const { view, summary } = await statesOf('rolled-back');
    expect(textsInView(view)).toEqual(['Again', 'again']);
    expect(summary.turnCount).toBe(1);
  });

  it('has after a compaction the kept messages, and later ones', async () => {
    const { view: lists } = await statesOf('compaction', 10);
    expect(textsInView(lists)).toEqual(['Count the planks.', 'And the nails?', '200.']);
    const { view } = await statesOf('compaction');
    expect(textsInView(view)).toEqual(['Screws?', 'None.']);
  });

  it('has a result for each call, in the order of the calls', async () => {
    const { view } = await statesOf('parallel-calls');
    const calls = countedEntries(view.timeline).filter(({ kind }) => kind === 'call');
    expect(calls.map((call) => (call.kind === 'call' ? [call.callId, call.result?.status] : []))).toEqual([
      ['call_1', 'ok'],
      ['call_2', 'error'],
      ['call_3', 'ok'],
      ['ws_1', 'ok'],
      ['call_4', 'ok'],
    ]);
  });

  function statesOf(name: string, seq?: number) {
    return statesAfter(codex, caseOf('codex', name), seq);
  }
});

describe('the places of Codex', () => {
  it('have the sessions of each day and the archived ones, and a compressed one if the plain one is missing', () => {
    const name = `rollout-2026-11-23T01-08-19-${UUID}.jsonl`;
    using tree = createTree({
      [`.codex/sessions/2026/11/23/${name}`]: '',
      '.codex/sessions/2026/11/23/notes.jsonl': '',
      [`.codex/sessions/2026/11/23/${name}.zst`]: '',
      '.codex/sessions/2026/11/22/rollout-2026-11-22T10-00-00-old.jsonl.zst': '',
      '.codex/archived_sessions/rollout-2025-09-25T09-49-46-5973b6c0.jsonl': '',
      '.codex/history.jsonl': '',
    });
    const found = [...discover(codex, { env: {}, home: tree.root, platform: 'linux' }, files)];
    expect(found.map((one) => (one.kind === 'source' ? one.source.id : one.reason)).sort()).toEqual([
      UUID,
      '5973b6c0',
      'old',
    ]);
  });

  it('are in CODEX_HOME', () => {
    using tree = createTree({ [`there/sessions/2026/01/02/rollout-2026-01-02T03-04-05-${UUID}.jsonl`]: '' });
    const surroundings = { env: { CODEX_HOME: join(tree.root, 'there') }, home: tree.root, platform: 'linux' } as const;
    expect([...discover(codex, surroundings, files)]).toMatchObject([{ source: { id: UUID } }]);
  });
});

describe('the head of a session of Codex', () => {
  it('names project, branch, model, times and the first typed text', () => {
    expect(headOf('one-turn')).toEqual({
      id: 'one-turn',
      cwd: '/home/ada/boat',
      branch: 'main',
      model: 'gpt-5.4',
      version: '0.130.0',
      startedAt: '2026-01-02T09:59:59.500Z',
      lastActivity: '2026-01-02T10:00:17.000Z',
      firstPrompt: 'How long is the mast?',
    });
  });

  it('leaves out text of the program or an editor before the prompt', () => {
    expect(headOf('compaction').firstPrompt).toBe('Count the planks.');
    expect(headOf('picture-and-editor').firstPrompt).toBe('Is this straight?');
    expect(headOf('oldest')).toMatchObject({ firstPrompt: 'List the files.', startedAt: '2025-08-01T09:00:00.000Z' });
  });

  function headOf(name: string) {
    return readHead(codex, caseOf('codex', name), files);
  }
});
