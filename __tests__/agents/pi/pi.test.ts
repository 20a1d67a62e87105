import { join } from 'node:path';
import { discover } from '../../../lib/agents/discover.ts';
import { readHead } from '../../../lib/agents/head.ts';
import { pi } from '../../../lib/agents/pi/pi.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, files, statesOf as statesAfter, textsInView } from '../reading.ts';

describeAgent(pi, { real: (path) => /\/pi\/.*\.jsonl$/.test(path) && !path.includes('/mode-json/') });

describe('a session of pi', () => {
  it('counts cached tokens as part of the input, and has the cost of the program', async () => {
    const { budget, summary } = await statesOf('one-turn');
    expect(budget.spent).toMatchObject({ calls: 3, inputTokens: 39, outputTokens: 15, totalCost: 0.75 });
    expect(summary).toMatchObject({ title: 'The mast', turnCount: 2 });
  });

  it('leaves out the messages after a step back to an older entry, and nothing for a label', async () => {
    const { view } = await statesOf('tree-and-failures');
    expect(textsInView(view)).toEqual([
      'Say one',
      'one',
      'Say three',
      'three',
      'Say four',
      'four',
      'Five',
      'Six',
      'six',
    ]);
  });

  it('has after a compaction its summary, the kept messages, and later ones', async () => {
    const { view: first } = await statesOf('compaction', 14);
    expect(textsInView(first)).toEqual(['And nails', '200', 'Screws?', 'None']);
    const { view } = await statesOf('compaction');
    expect(textsInView(view)).toEqual(['End', 'End']);
  });

  function statesOf(name: string, seq?: number) {
    return statesAfter(pi, caseOf('pi', name), seq);
  }
});

describe('the places of pi', () => {
  it('have the sessions of each project, and are in PI_CODING_AGENT_DIR', () => {
    using tree = createTree({
      '.pi/agent/sessions/--home-ada-boat--/2026-03-01T08-00-00-000Z_01a205f8-f3a1.jsonl': '',
      '.pi/agent/sessions/--home-ada-boat--/notes.txt': '',
      '.pi/agent/models.json': '{}',
      'there/sessions/--x--/2026-03-01T08-00-00-000Z_77aa.jsonl': '',
    });
    const idsIn = (env: Record<string, string>) =>
      [...discover(pi, { env, home: tree.root, platform: 'linux' }, files)].map((one) =>
        one.kind === 'source' ? one.source.id : one.reason,
      );
    expect(idsIn({})).toEqual(['01a205f8-f3a1']);
    expect(idsIn({ PI_CODING_AGENT_DIR: join(tree.root, 'there') })).toEqual(['77aa']);
  });
});

describe('the head of a session of pi', () => {
  it('names title, project, model, times and the first typed text', () => {
    expect(readHead(pi, caseOf('pi', 'one-turn'), files)).toEqual({
      id: 'one-turn',
      title: 'The mast',
      cwd: '/home/ada/boat',
      model: 'gpt-5.4',
      startedAt: '2026-03-01T08:00:00.000Z',
      lastActivity: '2026-03-01T08:00:09.000Z',
      firstPrompt: 'How long is the mast?',
    });
  });
});
