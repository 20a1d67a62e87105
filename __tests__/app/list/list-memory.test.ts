// A repeated list equals the files, whatever other processes did to them in between, and examines only those that have
// changed. Two programs list the same home, as two servers do.
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { StatementSync } from 'node:sqlite';
import fc from 'fast-check';
import { AGENT_NAMES, loadAgent } from '../../../lib/agents/registry.ts';
import type { App } from '../../../lib/app/app.ts';
import { createApp } from '../../../lib/app/compose.ts';
import { importForeign } from '../../../lib/app/import/import-sessions.ts';
import { syncSessions } from '../../../lib/app/import/sync-sessions.ts';
import { hideSession, titleForeign } from '../../../lib/app/list/foreign-notes.ts';
import { type ListMemory, openListMemory } from '../../../lib/app/list/list-memory.ts';
import { listPage } from '../../../lib/app/sessions/read/list-page.ts';
import type { Catalog } from '../../../lib/catalog/catalog.ts';
import { type FileSystem, nodeFileSystem } from '../../../lib/platform/index.ts';
import { openSession } from '../../../lib/session/open.ts';
import { OPTIONS, said } from '../../session/world.ts';
import { CLAUDE_FILE, claudePrompt, lines } from '../../support/agent-homes.ts';
import { countingFileSystem } from '../../support/counting-file-system.ts';
import { sessionsDirectory, writeSessions } from '../../support/generated-journals.ts';

const SESSIONS = 24;
const SETTLED_MS = 60_000;

interface Lister {
  readonly app: App;
  readonly memory: ListMemory;
}

let home: string;
let apps: App[];
let writer: App;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'ollm-kept-'));
  apps = [];
  await writeSessions(sessionsDirectory(home), SESSIONS);
  writer = await opened();
});
afterEach(async () => {
  for (const app of apps) await app.close();
  rmSync(home, { recursive: true, force: true });
});

async function opened(fileSystem?: FileSystem): Promise<App> {
  const parts = fileSystem && { fileSystem };
  const app = await createApp({ env: { HOME: home, OLLM_HOME: home }, cwd: home, command: 'test', parts });
  apps.push(app);
  return app;
}

/** Times of change can be set by no program: the clock is set to later, so that each file is an old one. */
async function lister(fileSystem?: FileSystem): Promise<Lister> {
  const app = await opened(fileSystem);
  const later = { ...app.clock, now: () => app.clock.now() + SETTLED_MS };
  const listing: App = { ...app, clock: later };
  return { app: listing, memory: openListMemory(listing) };
}

/** How many directories other programs may have their sessions in. */
async function placesOfAll(): Promise<number> {
  const agents = await Promise.all(AGENT_NAMES.map(loadAgent));
  return agents.flatMap((agent) => agent.places({ env: {}, home, platform: process.platform })).length;
}

const pageOf = ({ app, memory }: Lister, options = {}) => listPage(app, { limit: 1_000, ...options, memory });
const plainly = ({ app }: Lister, options = {}) => listPage(app, { limit: 1_000, ...options });
const name = (number: number) => `session-${String(number).padStart(6, '0')}`;
const pathOf = (id: string) => join(sessionsDirectory(home), `${id}.jsonl`);

async function say(id: string, text: string): Promise<void> {
  const session = await openSession(writer.store, id, OPTIONS);
  await session.append(said('user', text));
  await session.close('exit');
}

/** The rows that the catalogue stored are not taken over: each is made of its file again. */
function withoutStoredRows({ app, memory }: Lister): Lister {
  const catalog: Catalog = { ...app.catalog, attach: async () => ({ kind: 'absent' }) };
  return { app: { ...app, catalog }, memory };
}

async function expectRight(each: Lister, options = {}): Promise<void> {
  expect(await pageOf(each, options)).toEqual(await plainly(each, options));
}

/** What another process may do. */
const CHANGES: Readonly<Record<string, (id: string, to: string) => Promise<void>>> = {
  async say(id) {
    // A damaged session accepts no more events.
    if (await writer.store.has(id)) await say(id, 'One more').catch(() => {});
  },
  async trash(id) {
    if (await writer.store.has(id)) await writer.store.trash(id);
  },
  async restore(id) {
    const isTrashed = (await writer.store.listTrash()).some((entry) => entry.id === id);
    if (isTrashed && !(await writer.store.has(id))) await writer.store.restore(id);
  },
  async rename(id, to) {
    if ((await writer.store.has(id)) && !(await writer.store.has(to))) renameSync(pathOf(id), pathOf(to));
  },
  async damage(id) {
    writeFileSync(pathOf(id), 'not a journal\n');
  },
  async 'an older form'(id) {
    const path = join(sessionsDirectory(home), `${id}-old.json`);
    if (nodeFileSystem.stat(path) === undefined) writeFileSync(path, '{}');
    else rmSync(path);
  },
};

it('a list of unchanged sessions examines none of their files', async () => {
  const { fileSystem, during } = countingFileSystem(nodeFileSystem);
  const listing = await lister(fileSystem);
  const first = await during(() => pageOf(listing));
  expect(first.calls.stat).toBeGreaterThan(SESSIONS);
  const second = await during(() => pageOf(listing));
  const { stat = 0, open = 0, read = 0 } = second.calls;
  // The directory, the notes of the user, and the directories of other programs.
  expect(stat + open - (await placesOfAll())).toBeLessThan(SESSIONS);
  expect(read).toBe(0);
  for (const id of [name(3), name(7)]) await say(id, 'One more');
  const third = await during(() => pageOf(listing));
  // For each that changed: its journal, and the state file alongside it.
  expect(third.calls.stat! - stat).toBeLessThanOrEqual(2 * 4);
  expect(third.calls.open! - open).toBeLessThanOrEqual(2 * 4);
  await expectRight(listing);
});

it('a list includes the changes of other processes, in each of two programs', async () => {
  const [one, other] = [await lister(), await lister()];
  for (const each of [one, other]) await pageOf(each);
  const id = fc.integer({ min: 0, max: SESSIONS + 5 }).map(name);
  const change = fc.tuple(fc.constantFrom(...Object.keys(CHANGES)), id, id);
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 4 }), fc.boolean(), async (changes, isOther) => {
      for (const [kind, which, to] of changes) await CHANGES[kind]!(which, to);
      await expectRight(isOther ? other : one);
    }),
    { numRuns: 100 },
  );
});

it('a repeated list has the filters and pages of a single list', async () => {
  const listing = await lister();
  for (const options of [
    { limit: 7 },
    { agent: 'ollm', address: `ollm:${name(5)}` },
    { project: home },
    { sinceMs: 1 },
  ])
    await expectRight(listing, options);
  const seen: string[] = [];
  let after: string | undefined;
  do {
    const page = await pageOf(listing, { limit: 7, after });
    seen.push(...page.rows.map((row) => row.id));
    after = page.next;
  } while (after !== undefined);
  expect(new Set(seen).size).toBe(SESSIONS);
});

it('a list marks an open session as open until it is closed', async () => {
  const listing = await lister();
  await pageOf(listing);
  const session = await openSession(writer.store, name(1), OPTIONS);
  await session.append(said('user', 'Hello'));
  const locked = async () => (await pageOf(listing)).rows.filter((row) => row.locked).map((row) => row.id);
  expect(await locked()).toEqual([name(1)]);
  await session.close('exit');
  expect(await locked()).toEqual([]);
});

it('a list includes a directory that appears, disappears, and replaces a second one', async () => {
  const directory = sessionsDirectory(home);
  const listing = await lister();
  const ids = async () => (await pageOf(listing)).rows.length;
  expect(await ids()).toBe(SESSIONS);
  renameSync(directory, `${directory}-away`);
  expect(await ids()).toBe(0);
  await writeSessions(directory, 3);
  expect(await ids()).toBe(3);
  rmSync(directory, { recursive: true });
  renameSync(`${directory}-away`, directory);
  expect(await ids()).toBe(SESSIONS);
});

it('a list reads the ends of a foreign file once, until it changes', async () => {
  const file = join(home, CLAUDE_FILE);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines([claudePrompt('a1', 'First words', '2026-11-20T10:00:00.000Z')]));
  const { fileSystem, during } = countingFileSystem(nodeFileSystem);
  const listing = await lister(fileSystem);
  await pageOf(listing, { agent: 'claude' });
  const again = await during(() => pageOf(listing, { agent: 'claude' }));
  expect(again.readBytes).toBe(0);
  const once = await lister();
  await plainly(once, { agent: 'claude' });
  await once.app.catalog.close();
  // Nor does another process, which remembers nothing.
  const { app } = await lister();
  const other = { ...once, app: { ...app, fileSystem } };
  expect((await plainly(other, { agent: 'claude' })).rows[0]?.title).toBe('First words');
  expect((await during(() => plainly(other, { agent: 'claude' }))).readBytes).toBe(0);
  writeFileSync(file, lines([claudePrompt('a1', 'Other words', '2026-11-20T10:00:00.000Z')]));
  expect((await pageOf(listing, { agent: 'claude' })).rows[0]?.title).toBe('Other words');
});

describe('sessions of foreign programs', () => {
  const place = '.claude/projects/-home-ada-boat';
  const pathOfForeign = (number: number) => join(home, place, `${String(number).padStart(8, '0')}-aa.jsonl`);
  const addressOf = (number: number) => `claude:${String(number).padStart(8, '0')}-aa`;
  const prompt = (number: number, text = `Question ${number}`) =>
    lines([claudePrompt('a1', text, new Date(Date.UTC(2026, 0, 1) + number * 1_000).toISOString())]);
  function writeForeign(count: number): void {
    mkdirSync(join(home, place), { recursive: true });
    for (let number = 0; number < count; number += 1) writeFileSync(pathOfForeign(number), prompt(number));
  }

  it('appear, grow and disappear in a repeated list as in a fresh one', async () => {
    writeForeign(6);
    const listing = await lister();
    const number = fc.integer({ min: 0, max: 9 });
    const step = fc.tuple(fc.constantFrom('write', 'remove', 'sync', 'import', 'hide', 'show', 'title', 'say'), number);
    const filters = fc.constantFrom({ agent: 'claude' }, {}, { withHidden: true }, { sinceMs: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 4 }), filters, async (steps, options) => {
        for (const [kind, which] of steps) {
          if (kind === 'hide' || kind === 'show') await hideSession(writer, addressOf(which), kind === 'hide');
          else if (kind === 'title') await titleForeign(writer, addressOf(which), `Called ${which}`);
          else if (kind === 'say') await say(name(which), 'One more');
          else if (kind === 'write') appendFileSync(pathOfForeign(which), prompt(which, 'More'));
          else if (kind === 'remove') rmSync(pathOfForeign(which), { force: true });
          else if (kind === 'sync') await syncSessions(writer);
          else await importForeign(writer, { all: true });
        }
        await expectRight(listing, options);
        expect(await plainly(withoutStoredRows(listing), options)).toEqual(await plainly(listing, options));
      }),
      { numRuns: 100 },
    );
  });

  it('are neither examined one by one, nor read from the catalogue, without a change', async () => {
    const counts: Record<string, number>[] = [];
    for (const count of [10, 1_000]) {
      writeForeign(count);
      await syncSessions(writer);
      const { fileSystem, during } = countingFileSystem(nodeFileSystem);
      const listing = await lister(fileSystem);
      const first = await countingRows(() => during(() => pageOf(listing)));
      const second = await countingRows(() => during(() => pageOf(listing)));
      const { stat = 0, open = 0, readDirectory = 0 } = second.value.calls;
      counts.push({ count, stat, open, readDirectory, rows: second.rows, firstStat: first.value.calls.stat ?? 0 });
      expect(first.value.calls.stat).toBeGreaterThan(count);
      appendFileSync(pathOfForeign(count - 1), prompt(count - 1, 'More'));
      expect((await pageOf(listing)).rows.find(({ bytes }) => bytes! > 400)).toBeDefined();
    }
    const [few, many] = counts;
    expect(few!.readDirectory).toBe(0);
    expect(many!.readDirectory).toBe(0);
    // The newest 100 files, and of the rows these and those of the page.
    expect(many!.stat! - few!.stat!).toBeLessThanOrEqual(100);
    expect(many!.open! - few!.open!).toBeLessThanOrEqual(2);
    expect(many!.rows! - few!.rows!).toBeLessThanOrEqual(1_100);
  });

  it('are examined only in the directory in which one appeared or disappeared', async () => {
    writeForeign(300);
    const other = join(home, '.claude/projects/-home-ada-kite');
    mkdirSync(other);
    writeFileSync(join(other, '90000000-aa.jsonl'), prompt(9_000));
    await syncSessions(writer);
    const { fileSystem, during } = countingFileSystem(nodeFileSystem);
    const listing = await lister(fileSystem);
    await pageOf(listing);
    const came = join(other, '90000001-aa.jsonl');
    for (const change of [() => writeFileSync(came, prompt(9_001)), () => rmSync(came)]) {
      change();
      const { stat = 0, readDirectory = 0 } = (await during(() => pageOf(listing))).calls;
      expect(readDirectory).toBe(1);
      // The newest 100 files are looked at in every list.
      expect(stat).toBeLessThan(250);
      await expectRight(listing);
    }
  });

  it('keep their rows after a different session changed in the catalogue', async () => {
    writeForeign(60);
    const { app, memory } = await lister();
    await syncSessions(app);
    const page = () => listPage(app, { limit: 1, memory, agent: 'claude' });
    await page();
    const before = await page();
    await say(name(3), 'One more');
    await syncSessions(app);
    const again = await countingRows(page);
    expect(again.value).toEqual(before);
    // A revision for each program, the newest files and a page of one row, and no other row of its sessions.
    expect(again.rows).toBeLessThan(80);
  });
});

/** Rows that SQLite gave while `work` ran. */
async function countingRows<Value>(
  work: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly rows: number }> {
  const { all, get } = StatementSync.prototype;
  let rows = 0;
  StatementSync.prototype.all = function (this: StatementSync, ...parameters: never[]) {
    const found = Reflect.apply(all, this, parameters) as ReturnType<typeof all>;
    rows += found.length;
    return found;
  } as typeof all;
  StatementSync.prototype.get = function (this: StatementSync, ...parameters: never[]) {
    rows += 1;
    return Reflect.apply(get, this, parameters);
  } as typeof get;
  try {
    return { value: await work(), rows };
  } finally {
    Object.assign(StatementSync.prototype, { all, get });
  }
}
