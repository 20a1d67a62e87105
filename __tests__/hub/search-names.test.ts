// Sessions that a search finds by their names, and the filters in its line.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importForeign } from '../../lib/app/import/import-sessions.ts';
import { titleForeign } from '../../lib/app/list/foreign-notes.ts';
import { deleteSession } from '../../lib/app/sessions/change/delete-session.ts';
import { searchSessions } from '../../lib/app/sessions/read/search-sessions.ts';
import { said } from '../session/world.ts';
import { CLAUDE_FILE, CLAUDE_ID, claudePrompt, lines } from '../support/agent-homes.ts';
import { callOf, type HubWorld, hubWorld } from './world.ts';

let hub: HubWorld;
beforeAll(async () => {
  hub = hubWorld();
  await hub.make(
    'oak',
    ['Please look at the queue', ...callOf('c1', { command: 'cat src/queue.ts' }, 'a lost update --in-queue')],
    {},
    { title: 'The deadlock of getUserName', git: { root: '/home/ada/garden', branch: 'fix/rainfall' } },
  );
  await hub.make('elm', ['A deadlock in the harbour', said('assistant', 'It waits for the deadlock')]);
  const file = join(hub.home, CLAUDE_FILE);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, lines([claudePrompt('a1', 'How deep is the deadlock?', '2026-01-20T10:00:00.000Z')]));
  await hub.sync();
});
afterAll(() => hub.remove());

const CLAUDE = `claude:${CLAUDE_ID}`;

describe('a search', () => {
  it('finds a session by its title before messages with the words', async () => {
    const [first, ...rest] = await hub.search('deadlock');
    expect(first).toMatchObject({
      address: 'ollm:oak',
      kind: 'session',
      why: 'title',
      title: 'The deadlock of getUserName',
      project: '/home/ada/garden',
      excerpt: { text: 'The deadlock of getUserName', marks: [[4, 12]] },
    });
    expect(first?.key).toBeUndefined();
    expect(rest.map(({ address }) => address).sort()).toEqual([`${CLAUDE}#a1`, 'ollm:elm#1', 'ollm:elm#2']);
  });

  it.each([
    ['user', 'title'],
    ['"deadlock of"', 'title'],
    ['rainf*', 'branch'],
    ['garden', 'project'],
    ['deadlock rainfall', 'title'],
  ])('%s finds one by its %s', async (words, why) => {
    expect(await hub.search({ text: words, isExact: true })).toMatchObject([{ address: 'ollm:oak', why }]);
  });

  it('leaves out a session whose name contains an excluded word', async () => {
    expect(await hub.addresses('deadlock -getUserName agent:ollm')).toEqual(['ollm:elm#1', 'ollm:elm#2']);
  });

  it("finds a session by its user's title, of any program, also after the last sync", async () => {
    const world = hubWorld();
    const file = join(world.home, CLAUDE_FILE);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, lines([claudePrompt('a1', 'How do pelicans land?', '2026-01-20T10:00:00.000Z')]));
    await world.make('ash', ['An acorn']);
    await world.sync();
    await world.withApp((app) => titleForeign(app, CLAUDE, 'The quokka affair'));
    await world.goOn('ash', [{ type: 'session.titled', data: { title: 'A quokka of ours', by: 'user' } }]);
    expect(await world.addresses('quokka')).toEqual([CLAUDE, 'ollm:ash']);
    expect(await world.addresses('title:quokka')).toEqual([CLAUDE, 'ollm:ash']);
    expect(await world.addresses('pelicans title:"quokka affair"')).toEqual([`${CLAUDE}#a1`]);
    world.remove();
  });

  it('finds the name of an import once', async () => {
    const world = hubWorld();
    const file = join(world.home, CLAUDE_FILE);
    mkdirSync(join(file, '..'), { recursive: true });
    const summary = { type: 'summary', summary: 'Numbats at night', leafUuid: 'a1' };
    writeFileSync(file, lines([summary, claudePrompt('a1', 'Hello', '2026-01-20T10:00:00.000Z')]));
    await world.withApp((app) => importForeign(app, { all: true }));
    await world.sync();
    expect(await world.addresses('title:hello')).toEqual([CLAUDE]);
    world.remove();
  });

  it('finds nothing by the name of a purged session, and no byte of it is left', async () => {
    const world = hubWorld();
    await world.make('ash', ['An acorn'], {}, { title: 'A wombat' });
    await world.sync();
    expect(await world.addresses('wombat')).toEqual(['ollm:ash']);
    await world.withApp((app) => deleteSession(app, 'ash', { purge: true }));
    expect(await world.addresses('wombat')).toEqual([]);
    expect(world.bytes().includes('wombat')).toBe(false);
    world.remove();
  });
});

describe('a filter in the query', () => {
  it.each([
    ['deadlock agent:claude', [`${CLAUDE}#a1`]],
    ['deadlock agent:claude agent:ollm role:user', [`${CLAUDE}#a1`, 'ollm:elm#1']],
    ['deadlock role:assistant', ['ollm:elm#2']],
    ['update tool:bash', ['ollm:oak#5']],
    ['update tool:BA*', ['ollm:oak#5']],
    ['update tool:ba', []],
    ['please path:src/queue.ts', ['ollm:oak#1']],
    ['please path:src/other.ts', []],
    ['please title:deadlock', ['ollm:oak#1']],
    ['please title:"deadlock of"', ['ollm:oak#1']],
    ['please title:"of deadlock"', []],
    ['please project:/home/ada', ['ollm:oak#1']],
    ['please project:garden', ['ollm:oak#1']],
    ['please project:/home/ada/gard', []],
    ['deadlock since:1h', ['ollm:elm#1', 'ollm:elm#2', 'ollm:oak']],
    ['deadlock since:2026-01-21', ['ollm:elm#1', 'ollm:elm#2', 'ollm:oak']],
    ['role:assistant deadlock agent:claude', []],
  ])('%s', async (line, addresses) => expect(await hub.addresses(line)).toEqual(addresses));

  it.each([
    ['title:deadlock', ['ollm:elm', CLAUDE, 'ollm:oak'].sort()],
    ['agent:claude', [CLAUDE]],
    ['agent:Claude', [CLAUDE]],
    ['agent:ollm tool:bash role:Tool', ['ollm:oak#2', 'ollm:oak#5']],
    ['path:src/queue.ts', ['ollm:oak']],
    ['tool:bash', ['ollm:oak#2', 'ollm:oak#5']],
    ['since:1h project:garden', ['ollm:oak']],
  ])('%s needs no word', async (line, addresses) => expect(await hub.addresses(line)).toEqual(addresses));

  it.each(['"agent:claude"', 'agent: claude', 'xagent:claude', 'path:/', '"deadlock" "role:assistant"'])(
    '%s is text',
    async (line) => expect(await hub.addresses(line)).toEqual([]),
  );

  it('never widens the filter of the caller', async () => {
    expect(await hub.addresses({ text: 'deadlock project:/', project: '/home/ada/garden' })).toEqual(['ollm:oak']);
    expect(await hub.addresses({ text: 'deadlock agent:ollm', agent: 'claude' })).toEqual([]);
    expect(await hub.addresses({ text: 'deadlock since:99w', sinceMs: Date.now() + 3_600_000 })).toEqual([]);
  });

  it.each(['agent:clod x', 'role:admin x', 'since:soon x'])('%s is refused, and the hint lists the choices', (line) =>
    expect(hub.search(line)).rejects.toMatchObject({ code: 'USAGE', hint: expect.stringContaining('In quotes') }),
  );

  it('is part of the expression in a regular expression', async () => {
    expect(await hub.addresses({ text: 'lost.*agent:claude', isRegex: true })).toEqual([]);
    expect(await hub.addresses({ text: 'title:x|lost', isRegex: true })).toEqual(['ollm:oak#5']);
  });
});

it('two dashes are the beginning of a word', async () => {
  expect(await hub.addresses({ text: '--in-queue', isExact: true })).toEqual(['ollm:oak#5']);
});

it('new sessions of other programs are read first where no text has all words in any form, if there is time', async () => {
  const world = hubWorld();
  const file = join(world.home, CLAUDE_FILE);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, lines([claudePrompt('a1', 'How do pelicans land?', '2026-01-20T10:00:00.000Z')]));
  const ask = (text: string, syncOthersMs?: number) =>
    world.withApp((app) => searchSessions(app, { text }, { syncOthersMs }));
  expect((await ask('pelicans')).hits).toEqual([]);
  expect((await ask('pelicans', 5_000)).hits).toHaveLength(1);
  expect(await ask('heron', 5_000)).toMatchObject({ hits: [], leftOut: [] });
  // Without sessions of its own, and with those of others as they were, the catalogue is only read.
  const writes = await world.withApp(async (app) => {
    let edits = 0;
    const catalog = new Proxy(app.catalog, {
      get(target, name) {
        if (name === 'edit') edits += 1;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const { hits } = await searchSessions({ ...app, catalog }, { text: 'heron' }, { syncOthersMs: 5_000 });
    return { hits, edits };
  });
  expect(writes).toEqual({ hits: [], edits: 0 });
  const add = (key: string, text: string) =>
    appendFileSync(file, lines([claudePrompt(key, text, '2026-01-20T11:00:00.000Z')]));
  add('a2', 'The pelican landed');
  expect((await ask('pelican landing', 5_000)).hits).toHaveLength(1);
  expect((await ask('pelican landed', 5_000)).hits).toHaveLength(1);
  expect((await ask('pelican swimming', 5_000)).hits).toHaveLength(2);
  add('a3', 'The pelican swims');
  expect((await ask('pelicna', 5_000)).hits).toHaveLength(3);
  world.remove();
});
