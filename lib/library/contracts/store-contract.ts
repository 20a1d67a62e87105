// The rules of a store: its sessions, their documents, archive, trash and attachments.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { hash } from 'node:crypto';
import type { JournalStore, Successor } from '../../journal/types.ts';
import { type ContractCase, CREATED, casesOf, make, type OpenStore, said, textsIn, withCode } from './case.ts';

const WRONG_IDS = ['', '.', '..', '../../etc/passwd', '/abs', 'a/b', 'a.b', 'A', 'é', 'con', '-rf', 'a'.repeat(65)];

const successor = (text: string): Successor => ({
  suffix: 'reset',
  created: () => CREATED,
  fill: async (writer) => void (await writer.append(said(text))),
});

/**
 * The rules that hold for each store. Give them to any runner of tests, together with `journalContract` and
 * `sessionContract`.
 *
 * @example
 * for (const { name, run } of storeContract(open)) test(name, run);
 */
export function storeContract(open: OpenStore): ContractCase[] {
  return casesOf(open, {
    async 'A session is there once it is created, and can be read and continued'(store, another) {
      deepEqual([await store.list(), await store.ids(), await store.has('one')], [[], [], false]);
      await make(store, 'one', 'hello');
      const writer = await store.openWriter('one');
      await writer.append(said('again'));
      await writer.close();
      equal(await store.has('one'), true);
      deepEqual(await textsIn(store, 'one'), ['hello', 'again']);
      deepEqual(await textsIn(await another(), 'one'), ['hello', 'again']);
    },
    async 'A list has each session once, by its id, with its size'(store) {
      for (const id of ['b', 'a', 'c-1']) await make(store, id, 'x');
      await store.writeDocument('a', 'snapshot', '{}');
      deepEqual(await store.ids(), ['a', 'b', 'c-1']);
      const rows = await store.list();
      deepEqual(
        rows.map(({ id }) => id),
        ['a', 'b', 'c-1'],
      );
      for (const { id, bytes, modifiedMs } of rows) {
        const info = await store.info(id);
        deepEqual([info?.bytes, info?.modifiedMs], [bytes, modifiedMs]);
        const reader = store.openReader(id);
        equal(await reader.size(), bytes);
        reader.close();
      }
      equal(await store.info('d'), undefined);
    },
    async 'A session is not created twice, and the first stays as it is'(store) {
      await make(store, 'one', 'hello');
      await rejects(store.create('one', CREATED), withCode('SESSION_EXISTS'));
      deepEqual(await textsIn(store, 'one'), ['hello']);
    },
    async 'A session that is missing is reported as missing, and nothing is made'(store) {
      const missing = withCode('SESSION_NOT_FOUND');
      await rejects(store.openWriter('one'), missing);
      await rejects(store.archive('one'), missing);
      await rejects(store.repair('one'), missing);
      await rejects(store.trash('one'), missing);
      await rejects(store.replace('one', successor('x')), missing);
      await rejects(async () => await store.openReader('one').first(), missing);
      equal(await store.holder('one'), undefined);
      deepEqual(await store.ids(), []);
    },
    async 'An id of the wrong form reaches no file'(store) {
      const invalid = withCode('SESSION_ID_INVALID');
      for (const id of WRONG_IDS) {
        await rejects(store.create(id, CREATED), invalid);
        await rejects(store.openWriter(id), invalid);
        await rejects(async () => await store.openReader(id).first(), invalid);
        await rejects(store.writeDocument(id, 'state', ''), invalid);
        await rejects(store.trash(id), invalid);
        await rejects(store.restore(id), invalid);
        equal(await store.has(id), false);
        equal(await store.info(id), undefined);
        equal(await store.readBlob(id), undefined);
      }
      deepEqual(await store.ids(), []);
    },
    async 'A session has one writer at a time, which is named to the others; readers are not kept out'(store, another) {
      const writer = await store.create('one', CREATED);
      const other = await another();
      await rejects(other.openWriter('one'), withCode('JOURNAL_LOCKED'));
      equal((await other.holder('one'))?.pid, process.pid);
      await writer.append(said('hello'));
      deepEqual(await textsIn(other, 'one'), ['hello']);
      await writer.close();
      equal(await other.holder('one'), undefined);
      await (await other.openWriter('one')).close();
    },
    async 'A session that is open is not archived, replaced, repaired or deleted'(store, another) {
      const writer = await store.create('one', CREATED);
      const other = await another();
      const locked = withCode('JOURNAL_LOCKED');
      await rejects(other.archive('one'), locked);
      await rejects(other.replace('one', successor('x')), locked);
      await rejects(other.repair('one'), locked);
      await rejects(other.trash('one'), locked);
      await writer.append(said('kept'));
      await writer.close();
      deepEqual(await textsIn(store, 'one'), ['kept']);
    },
    async 'A journal that begins with several lines is there as a whole or not at all'(store) {
      const fill: Successor['fill'] = async (writer) => void (await writer.append([said('a'), said('b')]));
      await store.createFilled('one', { created: CREATED, fill });
      deepEqual(await textsIn(store, 'one'), ['a', 'b']);
      const broken: Successor['fill'] = async (writer) => {
        await writer.append(said('half'));
        throw new TypeError('no more');
      };
      await rejects(store.createFilled('two', { created: CREATED, fill: broken }), /no more/);
      equal(await store.has('two'), false);
      await rejects(store.createFilled('one', { created: CREATED, fill }), withCode('SESSION_EXISTS'));
      deepEqual(await textsIn(store, 'one'), ['a', 'b']);
    },
    async 'A document is replaced as a whole, from one text or many'(store, another) {
      await make(store, 'one');
      equal(await store.readDocument('one', 'snapshot'), undefined);
      await store.writeDocument('one', 'snapshot', 'first');
      await store.writeDocument('one', 'state', ['a', 'é', new TextEncoder().encode('😀'), '']);
      await store.writeDocument('one', 'snapshot', 'second');
      const other = await another();
      equal(await other.readDocument('one', 'snapshot'), 'second');
      equal(await other.readDocument('one', 'state'), 'aé😀');
      equal(await other.readDocument('one', 'state', 3), 'aé');
      const long = Array.from({ length: 3_000 }, (_, index) => `${index}:${'x'.repeat(300)}\n`);
      await store.writeDocument('one', 'snapshot', long);
      equal(await store.readDocument('one', 'snapshot'), long.join(''));
      await store.removeDocument('one', 'snapshot');
      await store.removeDocument('one', 'snapshot');
      equal(await store.readDocument('one', 'snapshot'), undefined);
    },
    async 'A document stays as it was where the new one cannot be made'(store) {
      await store.writeDocument('one', 'snapshot', 'first');
      function* broken() {
        yield 'half';
        throw new TypeError('no more');
      }
      await rejects(store.writeDocument('one', 'snapshot', broken()), /no more/);
      equal(await store.readDocument('one', 'snapshot'), 'first');
    },
    async 'A document that is set aside is out of the way, under a name of its own each time'(store) {
      const names: string[] = [];
      for (const text of ['first', 'second']) {
        await store.writeDocument('one', 'snapshot', text);
        names.push(await store.setAsideDocument('one', 'snapshot'));
        equal(await store.readDocument('one', 'snapshot'), undefined);
      }
      equal(new Set(names).size, 2);
      await rejects(store.setAsideDocument('one', 'snapshot'));
    },
    async 'An archived journal makes place for another one, under a name of its own each time'(store) {
      const names: string[] = [];
      for (const text of ['first', 'second']) {
        await make(store, 'one', text);
        await store.writeDocument('one', 'state', 'x');
        names.push(await store.archive('one', 'reset'));
        deepEqual([await store.has('one'), await store.readDocument('one', 'state')], [false, undefined]);
      }
      equal(new Set(names).size, 2);
      ok(names.every((name) => name.startsWith('one.') && name.endsWith('.reset.jsonl')));
    },
    async 'An archived journal is read by its name, and not under the name of another session'(store) {
      await make(store, 'one', 'first');
      await make(store, 'two', 'other');
      const archive = await store.archive('one');
      await make(store, 'one', 'second');
      deepEqual([await textsIn(store, 'one', archive), await textsIn(store, 'one')], [['first'], ['second']]);
      await rejects(async () => textsIn(store, 'two', archive), withCode('SESSION_NOT_FOUND'));
    },
    async 'A journal is replaced as a whole, or stays'(store) {
      await make(store, 'one', 'old');
      const failing: Successor = {
        ...successor('x'),
        fill: async () => {
          throw new TypeError('no more');
        },
      };
      await rejects(store.replace('one', failing), /no more/);
      deepEqual(await textsIn(store, 'one'), ['old']);
      const archive = await store.replace('one', successor('new'));
      ok(archive.startsWith('one.'));
      deepEqual(await textsIn(store, 'one'), ['new']);
      await (await store.openWriter('one')).close();
    },
    async 'A repair of a sound journal keeps each of its events'(store) {
      await make(store, 'one', 'a', 'b');
      const { findings } = await store.repair('one');
      deepEqual(findings, []);
      deepEqual(await textsIn(store, 'one'), ['a', 'b']);
    },
    async 'A session in the trash is gone from lists, and comes back as it was'(store) {
      await make(store, 'one', 'hello');
      await store.writeDocument('one', 'snapshot', 'x');
      const { bytes } = (await store.info('one')) ?? {};
      const entry = await store.trash('one');
      deepEqual([entry.id, entry.bytes, await store.has('one'), await store.ids()], ['one', bytes, false, []]);
      deepEqual(await store.listTrash(), [entry]);
      await store.restore('one');
      deepEqual([await store.listTrash(), (await store.info('one'))?.bytes], [[], bytes]);
      deepEqual(await textsIn(store, 'one'), ['hello']);
      await (await store.openWriter('one')).close();
    },
    async 'The session of an id that was deleted last comes back first, and covers none that is there'(store) {
      for (const text of ['older', 'newer']) {
        await make(store, 'one', text);
        await store.trash('one');
      }
      await store.restore('one');
      deepEqual(await textsIn(store, 'one'), ['newer']);
      await rejects(store.restore('one'), withCode('SESSION_EXISTS'));
      equal((await store.listTrash()).length, 1);
      await rejects(store.restore('two'), withCode('TRASH_NOT_FOUND'));
    },
    async 'A purged session is gone permanently, and no other one is'(store) {
      await make(store, 'one', 'x');
      await make(store, 'two', 'y');
      const { entry } = await store.trash('one');
      await store.trash('two');
      await make(store, 'one', 'again');
      await store.purge(entry);
      deepEqual(
        (await store.listTrash()).map(({ id }) => id),
        ['two'],
      );
      deepEqual(await textsIn(store, 'one'), ['again']);
      for (const gone of [entry, '../one', '..', '']) await rejects(store.purge(gone), withCode('TRASH_NOT_FOUND'));
    },
    async 'An attachment is kept under its hash, whatever its size'(store, another) {
      for (const content of [
        new TextEncoder().encode('an output'),
        new Uint8Array(0),
        Buffer.alloc(3_000_000, 'long'),
      ]) {
        const sha256 = hash('sha256', content, 'hex');
        equal(await store.readBlob(sha256), undefined);
        equal(await store.putBlob(content), sha256);
        equal(await store.putBlob(content), sha256);
        deepEqual(Buffer.from((await (await another()).readBlob(sha256)) ?? [1]), Buffer.from(content));
      }
    },
    async 'An attachment stays as long as a journal names it'(store) {
      const sha256 = await store.putBlob(new TextEncoder().encode('an output'));
      for (const id of ['one', 'two']) {
        const writer = await store.create(id, CREATED);
        await writer.append({ type: 'tool.finished', data: { blob: sha256 } });
        await writer.close();
      }
      const purge = async (store: JournalStore, id: string) => store.purge((await store.trash(id)).entry);
      await purge(store, 'one');
      ok(await store.readBlob(sha256));
    },
  });
}
