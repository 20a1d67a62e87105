import { discover } from '../../../lib/agents/discover.ts';
import { readHead } from '../../../lib/agents/head.ts';
import { qwen } from '../../../lib/agents/qwen/qwen.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, files, statesOf as statesAfter, textsInView } from '../reading.ts';

describeAgent(qwen, { real: (path) => /\/qwen\/.*\.jsonl$/.test(path) && !path.includes('/stream-json/') });

describe('a session of Qwen Code', () => {
  it('counts usage once for each answer, and has the title that the user gave', async () => {
    const { budget, summary } = await statesOf('one-turn');
    expect(budget.spent).toMatchObject({ calls: 3, inputTokens: 300, outputTokens: 60, cachedTokens: 60 });
    expect(summary).toMatchObject({ title: 'The mast', turnCount: 2 });
  });

  it('leaves out the messages after an older record that a prompt follows, and nothing for a system record', async () => {
    const { view } = await statesOf('rewind');
    expect(textsInView(view)).toEqual(['Say one', 'one', 'Say three', 'three', 'Say four', 'four']);
  });

  it('has the compressed history instead of the earlier messages', async () => {
    const { view } = await statesOf('compaction');
    expect(textsInView(view)).toEqual([expect.stringContaining('40 planks'), 'Got it.', 'Screws?', 'None']);
  });

  function statesOf(name: string, seq?: number) {
    return statesAfter(qwen, caseOf('qwen', name), seq);
  }
});

describe('the places of Qwen Code', () => {
  it('have the sessions of each project, without the files next to them', () => {
    using tree = createTree({
      '.qwen/projects/-home-ada-boat/chats/27d495d1-de2d-449d-af11-d42d4d6ef80d.jsonl': '',
      '.qwen/projects/-home-ada-boat/chats/usage_record.jsonl': '',
      '.qwen/projects/-home-ada-boat/notes/27d495d1-de2d-449d-af11-d42d4d6ef80e.jsonl': '',
      '.qwen/settings.json': '{}',
    });
    const found = [...discover(qwen, { env: {}, home: tree.root, platform: 'linux' }, files)];
    expect(found).toMatchObject([{ source: { id: '27d495d1-de2d-449d-af11-d42d4d6ef80d' } }]);
  });
});

describe('the head of a session of Qwen Code', () => {
  it('names title, project, model, times and the first typed text', () => {
    expect(readHead(qwen, caseOf('qwen', 'one-turn'), files)).toEqual({
      id: 'one-turn',
      title: 'The mast',
      cwd: '/home/ada/boat',
      branch: 'main',
      model: 'qwen4',
      version: '0.24.4',
      startedAt: '2026-03-01T08:00:00.000Z',
      lastActivity: '2026-03-01T08:00:10.000Z',
      firstPrompt: 'How long is the mast?',
    });
  });
});
