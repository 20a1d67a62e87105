import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ListedSource } from '../../../lib/agents/agent.ts';
import { claude } from '../../../lib/agents/claude/claude.ts';
import { discover } from '../../../lib/agents/discover.ts';
import { readHead } from '../../../lib/agents/head.ts';
import { insideSource } from '../../../lib/agents/inside.ts';
import { openForeign } from '../../../lib/agents/open-foreign.ts';
import { nodeFileSystem } from '../../../lib/platform/index.ts';
import { replay } from '../../../lib/projections/replay.ts';
import { countedEntries, currentSummary } from '../../../lib/projections/timeline.ts';
import { viewFold } from '../../../lib/projections/view.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, files, statesOf as statesAfter, textsInView } from '../reading.ts';

const CASES = fileURLToPath(new URL('cases/', import.meta.url));

describeAgent(claude, { real: (path) => /\/claude\/.*\.jsonl$/.test(path) && !path.includes('/stream-json/') });

describe('a session of Claude Code', () => {
  it('has one message for an answer of many lines, with its calls and each result at its call', async () => {
    const { view, budget } = await statesOf('parallel-calls');
    const items = countedEntries(view.timeline);
    expect(items.map(({ kind }) => kind)).toEqual(['message', 'message', 'call', 'call', 'call', 'message']);
    expect(items.flatMap((item) => (item.kind === 'call' ? [[item.callId, item.result?.status]] : []))).toEqual([
      ['call_a', 'ok'],
      ['call_b', 'ok'],
      ['call_c', 'error'],
    ]);
    expect(budget.spent).toMatchObject({ calls: 2, inputTokens: 50, outputTokens: 67 });
  });

  it('has after a compaction its summary, the kept messages, and later ones', async () => {
    const { view } = await statesOf('compaction');
    expect(currentSummary(view.timeline)?.summary).toBe('Summary of everything.');
    expect(textsInView(view)).toEqual(['Still here.']);
    const { view: earlier } = await statesOf('compaction', 19);
    expect(currentSummary(earlier.timeline)?.summary).toContain('First matter: done');
    expect(textsInView(earlier)).toEqual([
      'Kept as it is.',
      expect.stringContaining('Caveat'),
      expect.stringContaining('/compact'),
      expect.stringContaining('Compacted'),
      'Third matter',
      'Going on.',
    ]);
  });

  it('has after a rewind no later messages, and after one to the beginning none at all', async () => {
    const { view: earlier } = await statesOf('rewind', 27);
    expect(textsInView(earlier)).toEqual(['Say one', 'one', 'Say twelve', 'twelve', 'Say thirteen', 'thirteen']);
    const { view } = await statesOf('rewind');
    expect(textsInView(view)).toEqual(['Begin again', 'from the start', 'Go on']);
  });

  it('has no turn for texts that a program wrote in the role of the user', async () => {
    const { summary } = await statesOf('injected');
    expect(summary.turnCount).toBe(4);
  });

  it('counts usage that a fork copied only once, and its own cost', async () => {
    const { budget } = await statesOf('fork');
    expect(budget.spent).toMatchObject({ calls: 1, inputTokens: 120, outputTokens: 3, totalCost: 0.125 });
  });

  it('has the title of the user before one that the program made', async () => {
    const { session, summary } = await statesOf('titles');
    expect([session.title, summary.title]).toEqual(['My numbers', 'My numbers']);
  });

  function statesOf(name: string, seq?: number) {
    return statesAfter(claude, caseOf('claude', name), seq);
  }
});

describe('the places of Claude Code', () => {
  it('have sessions and those of their subagents, and nothing else', () => {
    using tree = createTree({
      '.claude/projects/-home-me-project/5f3c.jsonl': '',
      '.claude/projects/-home-me-project/agent-77.jsonl': '',
      '.claude/projects/-home-me-project/5f3c/subagents/agent-a1.jsonl': '',
      '.claude/projects/-home-me-project/5f3c/subagents/agent-a1.meta.json': '{}',
      '.claude/projects/-home-me-project/5f3c/subagents/workflows/w1/agent-b2.jsonl': '',
      '.claude/projects/-home-me-project/5f3c/tool-results/x.txt': '',
      '.claude/projects/-home-me-project/memory/MEMORY.md': '',
      '.claude/projects/-home-me-other/77aa.jsonl': '',
      '.claude/history.jsonl': '',
    });
    const found = [...discover(claude, { env: {}, home: tree.root, platform: 'linux' }, files)];
    expect(idsOf(found)).toEqual([
      ['77aa', undefined],
      ['agent-a1', '5f3c'],
      ['agent-b2', '5f3c'],
      ['5f3c', undefined],
      ['agent-77', ''],
    ]);
  });

  it('are in CLAUDE_CONFIG_DIR, and may be missing', () => {
    using tree = createTree({ 'elsewhere/projects/p/5f3c.jsonl': '' });
    const at = (CLAUDE_CONFIG_DIR: string) =>
      idsOf([...discover(claude, { env: { CLAUDE_CONFIG_DIR }, home: tree.root, platform: 'linux' }, files)]);
    expect(at(join(tree.root, 'elsewhere'))).toEqual([['5f3c', undefined]]);
    expect(at(join(tree.root, 'nowhere'))).toEqual([]);
  });

  function idsOf(found: readonly ListedSource[]) {
    return found.map((one) => (one.kind === 'source' ? [one.source.id, one.source.parent] : one));
  }
});

describe('the file of a subagent', () => {
  it('is a conversation under any name, but a branch inside the file of its session is not', async () => {
    const textsIn = async (name: string, id: string) => {
      const source = { agent: 'claude', id, path: join(CASES, name, 'record.jsonl') };
      const { view } = (await replay(openForeign(claude, source, files), { view: viewFold })).states;
      return countedEntries(view.timeline).flatMap((item) =>
        item.kind === 'message' ? [JSON.stringify(item.parts)] : [],
      );
    };
    const named = await textsIn('agent-a1b2c3', 'agent-a1b2c3');
    expect(named.length).toBeGreaterThan(0);
    expect(await textsIn('agent-a1b2c3', 'renamed')).toEqual(named);
    const inline = await textsIn('inline-sidechain', 'inline-sidechain');
    expect(inline.join()).not.toContain('Found it in a.ts.');
    const path = join(CASES, 'inline-sidechain', 'record.jsonl');
    const inside = insideSource(
      { agent: 'claude', id: 'inline-sidechain', path },
      '00000003-0000-4000-8000-000000000000',
    );
    const { view } = (await replay(openForeign(claude, inside, files), { view: viewFold })).states;
    expect(JSON.stringify(view.timeline)).toContain('Found it in a.ts.');
    expect(readHead(claude, inside, files)).toMatchObject({
      firstPrompt: 'Search for the bug',
      cwd: '/home/me/project',
    });
  });
});

describe('the head of a session of Claude Code', () => {
  it('names title, project, model, times and the first typed text', () => {
    expect(headOf('titles')).toEqual({
      id: 'titles',
      title: 'My numbers',
      cwd: '/home/me/project',
      model: 'claude-opus-5-5',
      branch: 'main',
      version: '2.1.330',
      startedAt: '2026-03-01T08:00:01.000Z',
      lastActivity: '2026-03-01T08:00:02.000Z',
      firstPrompt: 'Sort these numbers',
    });
    expect(headOf('injected').firstPrompt).toBe('What does it do?');
  });

  it('is read only from the ends of the file, and is cut if the prompt is long', () => {
    const line = readFileSync(join(CASES, 'one-turn', 'record.jsonl'), 'utf8').split('\n')[1] ?? '';
    const long = line.replaceAll('Count the files', 'Count the files '.repeat(1000));
    const middle = `${JSON.stringify({ type: 'mode', mode: 'x'.repeat(1000) })}\n`.repeat(5000);
    using tree = createTree({ 'long.jsonl': `${long}\n${middle}${line}\n` });
    let read = 0;
    const counting = {
      ...nodeFileSystem,
      open: (path: string) => {
        const handle = nodeFileSystem.open(path, 'read');
        return {
          ...handle,
          read(target: Uint8Array, position: number) {
            const came = handle.read(target, position);
            read += came;
            return came;
          },
        };
      },
    };
    const source = { agent: 'claude', id: 'long', path: join(tree.root, 'long.jsonl') };
    const head = readHead(claude, source, { fileSystem: counting, uid: files.uid });
    expect(head.firstPrompt).toHaveLength(500);
    expect(head.lastActivity).toBe('2026-03-01T08:00:01.000Z');
    expect(read).toBeLessThan(2.5 * 1024 * 1024);
  });

  function headOf(name: string) {
    return readHead(claude, { agent: 'claude', id: name, path: join(CASES, name, 'record.jsonl') }, files);
  }
});
