import { discover } from '../../../lib/agents/discover.ts';
import { readHead } from '../../../lib/agents/head.ts';
import { qwen } from '../../../lib/agents/qwen/qwen.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, files, statesOf as statesAfter, textsInView } from '../reading.ts';

describeAgent(qwen, { real: (path) => /\/qwen\/.*\.jsonl$/.test(path) && !path.includes('/stream-json/') });

describe('what the folds make of a session of Qwen Code', () => {
  it('usage is counted once for each answer, and the title is the one that the user gave', async () => {
    const { budget, summary } = await statesOf('one-turn');
    expect(budget.spent).toMatchObject({ calls: 3, inputTokens: 300, outputTokens: 60, cachedTokens: 60 });
    expect(summary).toMatchObject({ title: 'The mast', turnCount: 2 });
  });

  it('a prompt that follows an older record leaves aside what came after it, and a system record nothing', async () => {
    const { view } = await statesOf('rewind');
    expect(textsInView(view)).toEqual(['Say one', 'one', 'Say three', 'three', 'Say four', 'four']);
  });

  it('the compressed history replaces what came before', async () => {
    const { view } = await statesOf('compaction');
    expect(textsInView(view)).toEqual([expect.stringContaining('40 planks'), 'Got it.', 'Screws?', 'None']);
  });

  function statesOf(name: string, seq?: number) {
    return statesAfter(qwen, caseOf('qwen', name), seq);
  }
});

describe('where Qwen Code keeps its sessions', () => {
  it('finds those of each project, and not the files next to them', () => {
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
  it('says title, project, model, times and the first thing that the user typed', () => {
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
