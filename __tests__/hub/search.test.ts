// The hits of a search over all sessions, their order and their members.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { searchSessions } from '../../lib/app/sessions/read/search-sessions.ts';
import { said } from '../session/world.ts';
import { callOf, type HubWorld, hubWorld } from './world.ts';

let hub: HubWorld;
beforeAll(async () => {
  hub = hubWorld();
  await hub.make('oak', ['Why does the connection reset?', said('assistant', 'The server closes an idle connection.')]);
  await hub.make(
    'elm',
    [
      'Run the tests, and look at getUserName',
      ...callOf('c1', { command: 'npm test' }, 'ECONNRESET: connection reset by peer'),
      {
        type: 'message.added',
        data: { role: 'user', parts: [{ type: 'text', text: 'reminder: connection' }], trusted: true, synthetic: true },
      },
      {
        type: 'message.added',
        data: { role: 'assistant', parts: [{ type: 'reasoning', text: 'a connection of thoughts' }], trusted: false },
      },
    ],
    {},
    { title: 'Tests that fail', git: { root: '/home/ada/garden', branch: 'main' } },
  );
  await hub.sync();
});
afterAll(() => hub.remove());

describe('a search', () => {
  it('returns address, session, role and the words around', async () => {
    const [hit] = await hub.search('"connection reset by peer"');
    expect(hit).toMatchObject({
      address: 'ollm:elm#5',
      agent: 'ollm',
      id: 'elm',
      key: '5',
      title: 'Tests that fail',
      project: '/home/ada/garden',
      role: 'tool',
      kind: 'output',
      live: true,
      gone: false,
      excerpt: { text: 'ECONNRESET: connection reset by peer' },
    });
    expect(hit?.at).toMatch(/^20\d\d-.*Z$/);
    expect(hit?.score).toBeGreaterThan(0);
  });

  it('uses the first question as the title of a session without one', async () => {
    expect(await hub.search('idle')).toMatchObject([{ title: 'Why does the connection reset?' }]);
  });

  it('uses the typed text as that title, if the message is longer', async () => {
    const longer = said('user', 'You are to look at every file of the project');
    await hub.make('yew', [{ type: 'turn.started', data: { input: '/init' } }, longer]);
    expect(await hub.search('every')).toMatchObject([{ title: '/init' }]);
  });

  it('no longer finds a text whose line was changed in place, and finds the others of that session', async () => {
    await hub.make('ash', ['A word that is replaced: hornbeam', 'A word that stays: whitebeam']);
    expect(await hub.addresses('hornbeam')).toEqual(['ollm:ash#1']);
    const path = join(hub.sessions, 'ash.jsonl');
    const bytes = readFileSync(path);
    bytes[bytes.indexOf('hornbeam')]! ^= 1;
    writeFileSync(path, bytes);
    await hub.sync();
    expect(await hub.addresses('hornbeam')).toEqual([]);
    expect(await hub.addresses('whitebeam')).toEqual(['ollm:ash#2']);
  });

  it('leaves out injected texts and thoughts of models, unless it is asked for them', async () => {
    expect(await hub.addresses('connection')).toEqual(['ollm:elm#5', 'ollm:oak#1', 'ollm:oak#2']);
    expect(await hub.addresses({ text: 'connection', kinds: ['injected', 'reasoning'] })).toEqual([
      'ollm:elm#6',
      'ollm:elm#7',
    ]);
  });

  it.each([
    [{ role: 'assistant' }, ['ollm:oak#2']],
    [{ role: 'tool' }, ['ollm:elm#5']],
    [{ agent: 'ollm' }, ['ollm:elm#5', 'ollm:oak#1', 'ollm:oak#2']],
    [{ agent: 'claude' }, []],
    [{ project: '/home/ada/garden' }, ['ollm:elm#5']],
    [{ project: '/home/ada' }, ['ollm:elm#5', 'ollm:oak#1', 'ollm:oak#2']],
    [{ project: '/wor' }, []],
    [{ project: '/home/ada/gard' }, []],
    [{ sinceMs: Date.now() + 3_600_000 }, []],
    [{ sinceMs: Date.now() - 3_600_000 }, ['ollm:elm#5', 'ollm:oak#1', 'ollm:oak#2']],
  ] as const)('obeys %j', async (filter, addresses) => {
    expect(await hub.addresses({ text: 'connection', ...filter })).toEqual(addresses);
  });

  it('finds with the role system the prompts of the system, and what a program said in the role of the user', async () => {
    const world = hubWorld();
    const added = (role: 'system' | 'user', text: string, more: { synthetic?: true } = {}) => ({
      type: 'message.added' as const,
      data: { role, parts: [{ type: 'text' as const, text }], ...more, trusted: false },
    });
    await world.make('oak', [
      added('system', 'wombat a'),
      added('user', 'wombat b', { synthetic: true }),
      added('user', 'wombat c'),
    ]);
    const keys = async (text: string) => (await world.search(text)).map(({ key }) => key).sort();
    expect(await keys('wombat role:system')).toEqual(['1', '2']);
    expect(await keys('wombat role:user')).toEqual(['3']);
    expect(await keys('wombat role:user role:system')).toEqual(['1', '2', '3']);
    expect(await keys('wombat')).toEqual(['3']);
    world.remove();
  });

  it('puts messages with more of the words, and shorter ones, first', async () => {
    const world = hubWorld();
    await world.make('ranks', [`one walrus ${'among many other words '.repeat(30)}`, 'walrus walrus', 'nothing']);
    expect((await world.search('walrus')).map(({ key }) => key)).toEqual(['2', '1']);
    world.remove();
  });

  it('finds with a regular expression even words that no index has, the newest first', async () => {
    const hits = await hub.search({ text: 'E[A-Z]+: |idle$|connection\\.$', isRegex: true });
    expect(hits.map(({ address }) => address)).toEqual(['ollm:elm#5', 'ollm:oak#2']);
    expect(hits[0]?.excerpt.marks).toEqual([[0, 12]]);
    await expect(hub.search({ text: '(', isRegex: true })).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('skips a text in which an expression does not finish, and says so', async () => {
    const world = hubWorld();
    await world.make('slow', [`${'a'.repeat(60)}!`, 'aaab']);
    const answer = await world.withApp((app) => searchSessions(app, { text: '^(a+)+b?$|aaab', isRegex: true }));
    expect(answer.hits.map(({ key }) => key)).toEqual(['2']);
    expect(answer.leftOut.join()).toContain('took too long in 1 of the messages');
    world.remove();
  });

  it('says that there are more hits', async () => {
    const few = await hub.withApp((app) => searchSessions(app, { text: 'connection', limit: 2 }));
    expect(few).toMatchObject({ isCut: true, hits: [{}, {}] });
    expect(await hub.withApp((app) => searchSessions(app, { text: 'connection', limit: 3 }))).toMatchObject({
      isCut: false,
    });
  });

  it('marks undone messages, and finds them all the same', async () => {
    const world = hubWorld();
    await world.make('way', [
      'The first pelican',
      'The second pelican',
      { type: 'branch.moved', data: { head: 1, reason: 'undo' } },
      'The third pelican',
    ]);
    const hits = await world.search('pelican');
    expect(hits.map(({ key, live }) => [key, live]).sort()).toEqual([
      ['1', true],
      ['2', false],
      ['4', true],
    ]);
    await world.goOn('way', [{ type: 'branch.moved', data: { head: 2, reason: 'branch' } }]);
    expect((await world.search('second'))[0]?.live).toBe(true);
    world.remove();
  });

  it('finds messages since the last sync', async () => {
    const world = hubWorld();
    await world.make('new', ['A pelican']);
    expect(await world.addresses('pelican')).toEqual(['ollm:new#1']);
    await world.goOn('new', ['A heron']);
    expect(await world.addresses('heron')).toHaveLength(1);
    world.remove();
  });
});
