// The changes of files that the catalogue keeps for each call, through a real index and with lines of any characters.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { syncSessions } from '../../lib/app/import/sync-sessions.ts';
import { changesOfFiles, changesOfSession } from '../../lib/catalog/changes.ts';
import { CATALOG_NAME } from '../../lib/catalog/schema.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { type HubWorld, hubWorld } from '../hub/world.ts';

let hub: HubWorld;
beforeEach(() => {
  hub = hubWorld();
});
afterEach(() => hub.remove());

const ended = (callId: string, status: 'ok' | 'error' = 'ok'): NewOllmEvent => ({
  type: 'tool.finished',
  data: { callId, status, result: { llmContent: 'done' }, durationMs: 1, trusted: false },
});
const asked = (callId: string, args: Record<string, unknown>): NewOllmEvent => ({
  type: 'tool.requested',
  data: { callId, name: 'file_write', args },
});

async function read<Result>(query: (database: DatabaseSync) => Result): Promise<Result> {
  await hub.withApp((app) => syncSessions(app));
  const database = new DatabaseSync(join(hub.home, CATALOG_NAME), { readOnly: true });
  try {
    return query(database);
  } finally {
    database.close();
  }
}

test('the lines of a change are returned exactly as requested, with any characters', async () => {
  const text = fc.array(
    fc.string({ unit: 'grapheme' }).map((line) => line.replace(/[\r\n]/g, '')),
    { minLength: 1 },
  );
  const texts = fc.sample(text, 60);
  await hub.make(
    'oak',
    texts.flatMap((lines, index) => [
      asked(`c-${index}`, { path: `src/${index}.ts`, content: `${lines.join('\n')}\n` }),
      ended(`c-${index}`),
    ]),
  );
  const changes = await read((database) => changesOfSession(database, 'ollm:oak'));
  expect(changes.map(({ file }) => file.path)).toEqual(texts.map((_, index) => `src/${index}.ts`));
  expect(changes.map(({ file }) => file.hunks.flat().map((line) => line.text))).toEqual(texts);
});

test('only changes of successful calls are returned, with the arguments that the user changed', async () => {
  const line = (word: string) => `export const ${word} = "a telling line of code";`;
  const decided = (callId: string, args?: object): NewOllmEvent =>
    ({ type: 'tool.decided', data: { callId, decision: 'allow', by: 'user', ...(args && { args }) } }) as NewOllmEvent;
  await hub.make('oak', [
    'Write some constants',
    ...[asked('c-1', { path: 'a.ts', content: line('one') }), decided('c-1'), ended('c-1')],
    ...[asked('c-2', { path: 'a.ts', content: line('two') }), ended('c-2', 'error')],
    asked('c-3', { path: 'a.ts', content: line('three') }),
    ...[
      asked('c-4', { path: 'a.ts', content: line('four') }),
      decided('c-4', { path: 'b.ts', content: line('five') }),
      ended('c-4'),
    ],
    ...[asked('c-5', {}), decided('c-5', { path: 'c.ts', content: line('six') }), ended('c-5')],
  ]);
  const found = await read((database) =>
    changesOfSession(database, 'ollm:oak').map(({ file, call, isUnsure, decision }) => [
      call.callId,
      file.path,
      file.hunks.flat().map(({ text }) => text.split(' ')[2]),
      isUnsure,
      decision?.by,
      call.promptSeq,
    ]),
  );
  expect(found).toEqual([
    ['c-1', 'a.ts', ['one'], false, 'user', 1],
    ['c-4', 'b.ts', ['five'], true, 'user', 1],
    ['c-5', 'c.ts', ['six'], true, 'user', 1],
  ]);
});

test('a file is asked only for changes that may have one of its lines, over all sessions in the order of time', async () => {
  const line = (word: string) => `export const ${word} = "a telling line of code";`;
  const wrote = (callId: string, path: string, word: string) => [
    asked(callId, { path, content: `${line(word)}\n}\n` }),
    ended(callId),
  ];
  await hub.make('oak', [
    ...wrote('c-1', 'a.ts', 'one'),
    ...wrote('c-2', 'a.ts', 'two'),
    ...wrote('c-3', 'b.ts', 'one'),
  ]);
  await hub.make('elm', wrote('c-4', 'src/a.ts', 'one'));
  const found = await read((database) =>
    changesOfFiles(
      database,
      { names: ['a.ts', 'c.ts'], lines: [`  ${line('one')}`, '}', ''] },
      { projects: ['/home/ada'] },
    ).map(({ id, call }) => [id, call.callId]),
  );
  expect(found).toEqual([
    ['oak', 'c-1'],
    ['elm', 'c-4'],
  ]);
});
