// A page that is given away has no secret and no home directory of its session, leads nowhere else, and each of its
// links leads to a place in it.
import fc from 'fast-check';
import { createApp } from '../../../../lib/app/compose.ts';
import { type ShareRequest, shareSession } from '../../../../lib/app/sessions/read/share-session.ts';
import type { NewOllmEvent } from '../../../../lib/events/index.ts';
import { openFileStore } from '../../../../lib/file-store/file-store.ts';
import type { NewEvent } from '../../../../lib/journal/types.ts';
import { countingIds, manualClock, memoryFileSystem, silentLog, thisProcess } from '../../../../lib/platform/index.ts';
import { arbitrarySession } from '../../../support/arbitrary-session.ts';

const SECRET = `ghp_${'0123456789abcdef'.repeat(3).slice(0, 36)}`;
const HOME = '/home/ada';

async function world() {
  const clock = manualClock();
  const fileSystem = memoryFileSystem({ clock });
  fileSystem.makeDirectory('/home/ada/boat');
  const parts = { clock, ids: countingIds(), process: thisProcess('test'), log: silentLog, fileSystem };
  const app = await createApp({ env: { HOME }, cwd: '/home/ada/boat', command: 'test', parts });
  // A store without a redactor, as other programs have it.
  const store = openFileStore(parts, { directory: app.paths.sessions });
  let journals = 0;
  return async (events: readonly (NewOllmEvent | NewEvent)[], request: ShareRequest = {}, cwd = '/home/ada/boat') => {
    journals += 1;
    const id = `walk-${journals}`;
    const writer = await store.create(id, { provider: 'p', model: 'm', ollm: '0', cwd });
    await writer.append(events as NewEvent[]);
    await writer.close();
    const { takenOut, chunks } = await shareSession(app, id, request);
    const pieces: Uint8Array[] = [];
    for await (const chunk of chunks) pieces.push(Uint8Array.from(chunk));
    return { takenOut, page: Buffer.concat(pieces).toString() };
  };
}

/** Adds a secret and the path of the home directory to each text of an event. */
function poisoned(value: unknown): unknown {
  if (typeof value === 'string') return /^[a-z0-9_.-]*$/i.test(value) ? value : `${value} ${SECRET} ${HOME}/notes`;
  if (Array.isArray(value)) return value.map(poisoned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, poisoned(member)]));
}

it('a shared page has no secret and no home directory, in any text of an event', async () => {
  const share = await world();
  await fc.assert(
    fc.asyncProperty(arbitrarySession(), async (session) => {
      const events = session.map(({ type, turn, data }) => ({ type, turn, data: poisoned(data) }));
      const { page } = await share(events as NewEvent[]);
      expect(page).not.toContain(SECRET);
      expect(page).not.toContain(HOME);
    }),
    { numRuns: 100 },
  );
});

it('a shared page links only to itself, and needs no script and no network', async () => {
  const share = await world();
  await fc.assert(
    fc.asyncProperty(arbitrarySession(), async (session) => {
      const { page } = await share(session as unknown as NewEvent[]);
      const ids = new Set(Array.from(page.matchAll(/ id="([^"]+)"/g), ([, id]) => id));
      const nav = page.slice(page.indexOf('<nav'), page.indexOf('</nav>'));
      const links = Array.from(nav.matchAll(/href="([^"]*)"/g), ([, link]) => link!);
      expect(links.filter((link) => !ids.has(link.replace(/^#/, '')))).toEqual([]);
      expect(page).not.toMatch(/<(?:script|img|iframe|link|object|embed)\b|\bsrc=|@import|url\(/i);
      expect(page).toContain("default-src 'none'");
    }),
    { numRuns: 100 },
  );
});

const event = (type: string, data: object, turn: number) => ({ type, turn, data }) as NewEvent;

const call = (callId: string, name: string, args: object, status = 'ok'): NewEvent[] => [
  event('tool.requested', { callId, name, args }, 1),
  event(
    'tool.finished',
    {
      callId,
      status,
      result: { llmContent: 'done' },
      tokens: { count: 1, method: 'estimated' },
      durationMs: 1,
      trusted: false,
    },
    1,
  ),
];
const said = (role: string, text: string) =>
  event(
    'message.added',
    { role, parts: [{ type: 'text', text }], tokens: { count: 1, method: 'estimated' }, trusted: true },
    1,
  );
const usage = (inputTokens: number, totalCost?: number) =>
  event(
    'usage.reported',
    { provider: 'p', model: 'm', inputTokens, outputTokens: 5, source: 'provider', ...(totalCost && { totalCost }) },
    1,
  );

describe('the overview of a shared page', () => {
  it('lists the files of successful calls, each with its calls', async () => {
    const share = await world();
    const { page } = await share([
      said('user', 'Change it'),
      ...call('c1', 'Edit', { file_path: '/home/ada/boat/a.ts', old_string: 'a', new_string: 'b' }),
      ...call('c2', 'Write', { file_path: '/home/ada/boat/b.ts', content: 'b' }, 'denied'),
      ...call('c3', 'apply_patch', { input: '*** Begin Patch\n*** Update File: a.ts\n@@\n-a\n+b\n*** End Patch' }),
      ...call('c4', 'Read', { file_path: '/home/ada/boat/c.ts' }),
    ]);
    const list = page.slice(page.indexOf('2 changed files'), page.indexOf('</ul>'));
    expect(list).toContain('<code>$HOME/boat/a.ts</code> <a href="#event-2">1</a>');
    expect(list).toContain('<code>a.ts</code> <a href="#event-6">1</a>');
    expect(list).not.toMatch(/[bc]\.ts/);
  });

  it('has the cost of each turn, and none if it was not reported', async () => {
    const share = await world();
    const { page } = await share([
      event('turn.started', { input: 'x' }, 1),
      said('user', 'One'),
      usage(1200, 0.25),
      usage(300, 0.5),
      event('turn.started', { input: 'y' }, 2),
      usage(7),
    ]);
    const rows = Array.from(page.matchAll(/<tr><td>.*<\/tr>/g), ([row]) => row.replace(/<[^>]+>/g, ' ').split(/\s+/));
    expect(rows.map((row) => row.filter(Boolean))).toEqual([
      ['1', '2', '1,500', '10', '$0.7500'],
      ['2', '1', '7', '5'],
    ]);
  });
});

it('the report of a shared page counts each secret and each home directory once', async () => {
  const share = await world();
  const { takenOut, page } = await share([
    said('user', `My key is ${SECRET}, in ${HOME}/keys and file://${HOME}/x`),
    said('assistant', `See ${HOME}/.claude/projects/-home-ada-boat, not /home/adam or /mnt/home/ada`),
  ]);
  expect(takenOut).toEqual({ secrets: { 'github-token': 1 }, homePaths: 5, events: 3 });
  expect(page).toContain('$HOME/.claude/projects/$HOME-boat, not /home/adam or /mnt/home/ada');
});

it('a shared page hides the home directory of a different machine, where the session was made', async () => {
  const share = await world();
  const { page } = await share([said('user', 'Look at /Users/bob/app/x.ts')], {}, '/Users/bob/app');
  expect(page).not.toContain('bob');
});

it('a shared page has only the events of the range', async () => {
  const share = await world();
  const words = ['one', 'two', 'three', 'four'].map((word) => said('user', `Say ${word}`));
  const { page, takenOut } = await share(words, { from: 2, to: 3 });
  expect(Array.from(page.matchAll(/<p>(Say \w+)<\/p>/g), ([, word]) => word)).toEqual(['Say two', 'Say three']);
  expect(takenOut.events).toBe(2);
  expect(page).toContain('2 prompts');
  await expect(share(words, { from: 40, to: 50 })).rejects.toMatchObject({ code: 'SEQ_NOT_FOUND' });
});
