import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { discover } from '../../../lib/agents/discover.ts';
import { readHead } from '../../../lib/agents/head.ts';
import { openForeign } from '../../../lib/agents/open-foreign.ts';
import { pi } from '../../../lib/agents/pi/pi.ts';
import { nodeFileSystem } from '../../../lib/platform/index.ts';
import { budgetFold } from '../../../lib/projections/budget.ts';
import { replay } from '../../../lib/projections/replay.ts';
import { summaryFold } from '../../../lib/projections/summary.ts';
import { countedEntries } from '../../../lib/projections/timeline.ts';
import { viewFold } from '../../../lib/projections/view.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';

const CASES = fileURLToPath(new URL('cases/', import.meta.url));
const files = { fileSystem: nodeFileSystem, uid: process.getuid?.() };

describeAgent(pi, { real: (path) => /\/pi\/.*\.jsonl$/.test(path) && !path.includes('/mode-json/') });

describe('what the folds make of a session of pi', () => {
  it('tokens of the cache are part of the input, and the cost is the program’s', async () => {
    const { budget, summary } = await statesOf('one-turn');
    expect(budget.spent).toMatchObject({ calls: 3, inputTokens: 39, outputTokens: 15, totalCost: 0.75 });
    expect(summary).toMatchObject({ title: 'The mast', turnCount: 2 });
  });

  it('a step back to an older entry leaves aside what came after it, and a label leaves nothing', async () => {
    const { view } = await statesOf('tree-and-failures');
    expect(textsOf(view)).toEqual(['Say one', 'one', 'Say three', 'three', 'Say four', 'four', 'Five', 'Six', 'six']);
  });

  it('a compaction leaves its summary, what it kept, and what came after', async () => {
    const { view: first } = await statesOf('compaction', 14);
    expect(textsOf(first)).toEqual(['And nails', '200', 'Screws?', 'None']);
    const { view } = await statesOf('compaction');
    expect(textsOf(view)).toEqual(['End', 'End']);
  });

  async function statesOf(name: string, seq?: number) {
    const reader = openForeign(pi, sourceOf(name), files);
    const folds = { view: viewFold, budget: budgetFold, summary: summaryFold };
    const { states, counts } = await replay(reader, folds, seq === undefined ? {} : { at: { seq } });
    expect(counts).toMatchObject({ unknown: 0, invalid: 0, outOfOrder: 0 });
    return states;
  }

  function textsOf({ timeline }: { timeline: Parameters<typeof countedEntries>[0] }): string[] {
    const entries = countedEntries(timeline) as { parts?: readonly { type: string; text?: string }[] }[];
    return entries.flatMap(({ parts = [] }) => parts.flatMap(({ type, text = '' }) => (type === 'text' ? [text] : [])));
  }
});

describe('where pi keeps its sessions', () => {
  it('finds those of each project, and looks where PI_CODING_AGENT_DIR says', () => {
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
  it('says title, project, model, times and the first thing that the user typed', () => {
    expect(readHead(pi, sourceOf('one-turn'), files)).toEqual({
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

function sourceOf(name: string) {
  return { agent: 'pi', id: name, path: join(CASES, name, 'record.jsonl') };
}
