import { hash } from 'node:crypto';
import { discover } from '../../../lib/agents/discover.ts';
import { gemini } from '../../../lib/agents/gemini/gemini.ts';
import { readHead } from '../../../lib/agents/head.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, files, statesOf as statesAfter, textsInView } from '../reading.ts';

describeAgent(gemini, { real: (path) => /\/gemini\/.*\/(?:session|gemini)-[^/]*\.jsonl?$/.test(path) });

describe('a session of Gemini CLI', () => {
  it('has one message for a rewritten one, with its calls and one usage', async () => {
    const { view, budget } = await statesOf('one-turn');
    expect(textsInView(view)).toEqual([
      expect.stringContaining('session_context'),
      'How long is the mast?',
      'I read the plan.',
      'The mast is 9 m long.',
      'Thanks.',
      'You are welcome.',
    ]);
    expect(budget.spent).toMatchObject({ calls: 3, inputTokens: 300, outputTokens: 70 });
  });

  it('has the summary that the program wrote as its title', async () => {
    const { summary } = await statesOf('one-turn');
    expect(summary.title).toBe('The length of the mast');
  });

  it('loses the messages after a rewind, but nothing by one to an unknown message', async () => {
    const { view } = await statesOf('rewind');
    expect(textsInView(view).slice(1)).toEqual(['Say one', 'one', 'Say three', 'three']);
  });

  it('loses nothing by a list that is short for a moment, only by one that the program continues', async () => {
    const { view: resumed } = await statesOf('resumed-and-shortened', 11);
    expect(textsInView(resumed).slice(1)).toEqual(['Say one', 'one', 'Say two', 'two']);
    const { view } = await statesOf('resumed-and-shortened');
    expect(textsInView(view).slice(1)).toEqual(['Say one', 'Say three', 'three']);
  });

  it('has after a list of different messages only those', async () => {
    const { view } = await statesOf('compaction');
    expect(textsInView(view).slice(1)).toEqual([expect.stringContaining('200 nails'), 'Got it.', 'Screws?', 'None']);
  });

  function statesOf(name: string, seq?: number) {
    return statesAfter(gemini, caseOf('gemini', name), seq);
  }
});

describe('the places of Gemini CLI', () => {
  it('have the sessions of each project with its path, those of subagents, and the newer of two forms', () => {
    const chats = (folder: string, name: string) => `.gemini/tmp/${folder}/chats/${name}`;
    using tree = createTree({
      '.gemini/projects.json': JSON.stringify({ projects: { '/home/ada/boat': 'boat', '/home/ada/oar': 'oar' } }),
      [chats('boat', 'session-2026-03-01T08-00-0a1b2c3d.jsonl')]: '',
      [chats('boat', '0a1b2c3d-0000/77aa-bb.jsonl')]: '',
      [chats(hash('sha256', '/home/ada/oar', 'hex'), 'session-2025-10-29T10-36-453aa339.json')]: '{}',
      [chats('sail', 'session-2026-03-02T08-00-11112222.json')]: '{}',
      [chats('sail', 'session-2026-03-02T08-00-11112222.jsonl')]: '',
      '.gemini/tmp/sail/.project_root': '/home/ada/sail\n',
      '.gemini/tmp/sail/logs.json': '[]',
      '.gemini/tmp/bin/chats/notes.txt': '',
    });
    const found = [...discover(gemini, { env: {}, home: tree.root, platform: 'linux' }, files)];
    const rows = found.flatMap((one) =>
      one.kind === 'source'
        ? [[one.source.id, one.source.parent, one.source.facts?.cwd, one.source.path.slice(-5)]]
        : [],
    );
    expect(rows.sort()).toEqual([
      ['0a1b2c3d-2026-03-01T08-00', undefined, '/home/ada/boat', 'jsonl'],
      ['11112222-2026-03-02T08-00', undefined, '/home/ada/sail', 'jsonl'],
      ['453aa339-2025-10-29T10-36', undefined, '/home/ada/oar', '.json'],
      ['77aa-bb', '0a1b2c3d-0000', '/home/ada/boat', 'jsonl'],
    ]);
  });
});

describe('the head of a session of Gemini CLI', () => {
  it('names title, project, model, times and the first typed text', () => {
    expect(headOf('one-turn')).toMatchObject({
      title: 'The length of the mast',
      cwd: '/home/ada/boat',
      model: 'gemini-3-pro',
      startedAt: '2026-03-01T08:00:00.000Z',
      printedId: expect.stringMatching(/-/),
      firstPrompt: 'How long is the mast?',
    });
    expect(headOf('commands-and-pictures')).toMatchObject({ cwd: '/home/ada/other', firstPrompt: '/init' });
    expect(headOf('document')).toMatchObject({ title: 'Files of the boat', firstPrompt: 'List the files' });
  });

  function headOf(name: string) {
    return readHead(gemini, caseOf('gemini', name), files);
  }
});
