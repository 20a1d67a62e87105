import { join } from 'node:path';
import { copilot } from '../../../lib/agents/copilot/copilot.ts';
import { discover } from '../../../lib/agents/discover.ts';
import { readHead } from '../../../lib/agents/head.ts';
import { insideSource } from '../../../lib/agents/inside.ts';
import { countedEntries } from '../../../lib/projections/timeline.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, files, statesOf as statesAfter, textsInView } from '../reading.ts';

describeAgent(copilot, { real: (path) => /\/copilot\/.*\.jsonl$/.test(path) && !path.includes('/output-json/') });

describe('a session of Copilot CLI', () => {
  it('counts each recorded call of a model once, without the totals at its end', async () => {
    const { budget, summary } = await statesOf('one-turn');
    expect(budget.spent).toMatchObject({ calls: 2, inputTokens: 220, outputTokens: 12 });
    expect(summary).toMatchObject({ turnCount: 2, model: 'gpt-5.4' });
  });

  it('counts usage from the totals at its end if calls are not recorded', async () => {
    const { budget } = await statesOf('older-version');
    // 900 and 38 of the session, 70 and 3 of its compaction.
    expect(budget.spent).toMatchObject({ inputTokens: 970, outputTokens: 41 });
  });

  it('has the work of a subagent in a session of its own, which counts it', async () => {
    const { budget, view } = await statesOf('subagent');
    expect(budget.spent).toMatchObject({ calls: 2, inputTokens: 70, outputTokens: 13 });
    expect(textsInView(view)).toEqual(['Explore the hold', 'Rope.']);
    const inside = await statesAfter(copilot, insideSource(caseOf('copilot', 'subagent'), 't1'));
    expect(inside.budget.spent).toMatchObject({ calls: 1, inputTokens: 20, outputTokens: 7 });
    expect(textsInView(inside.view)).toEqual(['Look into the hold']);
  });

  it('covers by a compaction the messages before it, and begins again after a clear', async () => {
    const { view: compacted } = await statesOf('compaction-and-clear', 12);
    expect(textsInView(compacted)).toEqual(['And nails?', '200.']);
    const { view } = await statesOf('compaction-and-clear');
    expect(textsInView(view)).toEqual(['Something else: tea?', 'Yes.']);
  });

  it('joins the records of one answer', async () => {
    const { view } = await statesOf('older-version', 5);
    expect(countedEntries(view.timeline)).toHaveLength(3);
  });

  function statesOf(name: string, seq?: number) {
    return statesAfter(copilot, caseOf('copilot', name), seq);
  }
});

describe('the places of Copilot CLI', () => {
  it('have sessions in folders, and older files that the program did not continue', () => {
    using tree = createTree({
      '.copilot/session-state/aa01/events.jsonl': '',
      '.copilot/session-state/aa01/workspace.yaml': 'id: aa01',
      '.copilot/session-state/aa01.jsonl': '',
      '.copilot/session-state/aa02.jsonl': '',
      '.copilot/session-state/aa03/workspace.yaml': 'id: aa03',
      '.copilot/session-state/.jsonl': '',
      '.copilot/session-store.db': '',
      'there/session-state/bb01/events.jsonl': '',
    });
    const found = (env: Record<string, string>) =>
      [...discover(copilot, { env, home: tree.root, platform: 'linux' }, files)].map((one) =>
        one.kind === 'source' ? [one.source.id, one.source.path.slice(tree.root.length)] : one.reason,
      );
    expect(found({})).toEqual([
      ['aa01', '/.copilot/session-state/aa01/events.jsonl'],
      ['aa02', '/.copilot/session-state/aa02.jsonl'],
    ]);
    expect(found({ COPILOT_HOME: join(tree.root, 'there') })).toEqual([
      ['bb01', '/there/session-state/bb01/events.jsonl'],
    ]);
    expect(found({ COPILOT_HOME: join(tree.root, 'nowhere') })).toEqual([]);
  });
});

describe('the head of a session of Copilot CLI', () => {
  it('names project, branch, model, version, times and the first typed text', () => {
    expect(readHead(copilot, caseOf('copilot', 'older-version'), files)).toEqual({
      id: 'older-version',
      cwd: '/home/ada/boat',
      branch: 'main',
      model: 'gpt-5-mini',
      version: '1.0.72',
      startedAt: '2026-03-01T08:00:00.000Z',
      lastActivity: '2026-03-01T08:00:28.000Z',
      firstPrompt: 'How many ropes?',
    });
  });

  it('is not confused by the task of a subagent', () => {
    expect(readHead(copilot, caseOf('copilot', 'subagent'), files).firstPrompt).toBe('Explore the hold');
  });
});
