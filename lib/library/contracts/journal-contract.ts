// The rules of a journal of any store: one writer, its readers, and the order in which both have the events.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import type { JournalReader, NewEvent, Outcome, StoredEvent } from '../../journal/types.ts';
import { type ContractCase, CREATED, casesOf, make, type OpenStore, said, textsIn, withCode } from './case.ts';

const COUNT = 600;
const MOST_OUTCOMES = 256;
const MOST_BYTES = 256 * 1024;

/**
 * The rules that hold for the journals of each store.
 *
 * @example
 * for (const { name, run } of journalContract(open)) test(name, run);
 */
export function journalContract(open: OpenStore): ContractCase[] {
  return casesOf(open, {
    async 'Receipts number the events without a hole, in the order of the calls'(store) {
      const writer = await store.create('one', CREATED);
      equal(writer.head.seq, 0);
      const texts = Array.from({ length: 50 }, (_, index) => `${index}`);
      const receipts = (await Promise.all(texts.map((text) => writer.append(said(text))))).flat();
      deepEqual(
        receipts.map(({ seq }) => seq),
        texts.map((_, index) => index + 1),
      );
      equal(writer.head.xxh64, receipts.at(-1)?.xxh64);
      await writer.close();
      deepEqual(await textsIn(store, 'one'), texts);
    },
    async 'An acknowledged event can be read by others'(store, another) {
      const writer = await store.create('one', CREATED);
      const other = await another();
      for (const text of ['a', 'b', 'c']) {
        await writer.append(said(text), { durability: 'disk' });
        equal((await textsIn(other, 'one')).at(-1), text);
      }
      equal(writer.synced.seq, writer.head.seq);
      await writer.close();
    },
    async 'A batch is stored whole or not at all'(store) {
      const writer = await store.create('one', CREATED);
      const circle: Record<string, unknown> = {};
      circle.self = circle;
      for (const wrong of [
        { type: 'no type', data: {} },
        { type: 'a.b', data: circle },
        { type: 'a.b', data: 7 },
      ])
        await rejects(writer.append([said('first'), wrong as NewEvent]), withCode('EVENT_INVALID'));
      await writer.append([said('a'), said('b')]);
      deepEqual(await writer.append([]), []);
      await writer.close();
      deepEqual(await textsIn(store, 'one'), ['a', 'b']);
    },
    async 'An event with an id is stored once, after the journal was opened again too'(store) {
      const writer = await store.create('one', CREATED);
      const [first] = await writer.append({ ...said('a'), id: 'k1' });
      const [again] = await writer.append({ ...said('a'), id: 'k1' });
      deepEqual(again, { ...first, duplicate: true });
      await writer.close();
      const later = await store.openWriter('one');
      deepEqual([await later.knows('k1'), await later.knows('k2')], [true, false]);
      equal((await later.append({ ...said('a'), id: 'k1' }))[0]?.duplicate, true);
      await later.close();
      deepEqual(await textsIn(store, 'one'), ['a']);
    },
    async 'Subscribers get each batch once it is acknowledged, until they stop'(store) {
      const writer = await store.create('one', CREATED);
      const seen: number[] = [];
      const stop = writer.subscribe((events) => seen.push(...events.map(({ seq }) => seq)));
      await writer.append([said('a'), said('b')]);
      stop();
      await writer.append(said('c'));
      await writer.close();
      deepEqual(seen, [1, 2]);
    },
    async 'A closed writer takes nothing more, and may be closed twice'(store) {
      const writer = await store.create('one', CREATED);
      await writer.append(said('a'));
      await writer.close();
      await writer.close();
      await rejects(writer.append(said('b')), withCode('JOURNAL_CLOSED'));
      deepEqual(await textsIn(store, 'one'), ['a']);
    },
    async 'A writer and a reader are closed at the end of a block'(store) {
      {
        await using writer = await store.create('one', CREATED);
        await writer.append(said('a'));
      }
      equal(await store.holder('one'), undefined);
      let left: JournalReader;
      {
        using reader = store.openReader('one');
        left = reader;
        ok((await eventsIn(reader)).length > 0);
      }
      await rejects(eventsIn(left), withCode('JOURNAL_CLOSED'));
    },
    async 'A writer that opens a journal reads it, or what is after a known place'(store) {
      await make(store, 'one', 'a', 'b', 'c');
      const reader = store.openReader('one');
      const events = await eventsIn(reader);
      reader.close();
      const seen: number[] = [];
      const whole = await store.openWriter('one', { onEvent: ({ seq }) => seen.push(seq) });
      deepEqual(
        seen.filter((seq) => seq <= events.at(-1)!.seq),
        events.map(({ seq }) => seq),
      );
      deepEqual([whole.report.damage, whole.report.recovered], [[], undefined]);
      await whole.close();
      const later: string[] = [];
      const onEvent = ({ type, data }: StoredEvent) => void (type === 'message.added' && later.push(String(data.text)));
      const resumed = await store.openWriter('one', { anchor: events[1]!.position, onEvent });
      deepEqual([resumed.report.anchored, later], [true, ['b', 'c']]);
      ok(resumed.report.epoch > whole.report.epoch);
      await resumed.close();
    },
    async 'Events come back as they were stored'(store) {
      const data = {
        unknown: { 'é😀': ['\u0000\n"\\', null, 1.5, -0.25, true], __proto__x: 1 },
        long: 'x'.repeat(300_000),
      };
      const writer = await store.create('one', { ...CREATED, more: [1] });
      await writer.append({ type: 'garden.watered', data, turn: 3, id: 'w', ignorable: true });
      await writer.close();
      const reader = store.openReader('one');
      const [first] = await eventsIn(reader);
      const watered = (await eventsIn(reader)).find(({ type }) => type === 'garden.watered');
      deepEqual([first?.seq, first?.type, first?.data.more], [0, 'session.created', [1]]);
      deepEqual((await reader.first())?.data, first?.data);
      deepEqual([watered?.turn, watered?.id, watered?.ignorable], [3, 'w', true]);
      deepEqual(watered?.data, data);
      reader.close();
    },
    async 'A reading has the events in ascending order, in batches of bounded size'(store) {
      await make(
        store,
        'one',
        ...Array.from({ length: COUNT }, (_, index) => `${index} `.padEnd(index % 7 ? 9 : 9_000)),
      );
      const reader = store.openReader('one');
      for (const way of ['outcomes', 'backwards'] as const) {
        const batches = await Array.fromAsync(reader[way]());
        for (const batch of batches) {
          const bytes = batch.reduce(
            (sum, one) => sum + (one.kind === 'event' ? one.event.end - one.event.offset : 0),
            0,
          );
          ok(batch.length > 0 && batch.length <= MOST_OUTCOMES && (batch.length === 1 || bytes <= MOST_BYTES));
        }
        const seqs = eventsOf(batches.flat()).map(({ seq }) => seq);
        const ascending = way === 'outcomes' ? seqs : seqs.toReversed();
        deepEqual(
          ascending,
          ascending.map((_, index) => index),
        );
        ok(ascending.length > COUNT);
      }
      reader.close();
    },
    async 'A reading continues after the position of any event, also after one that was saved as JSON'(store) {
      await make(store, 'one', ...Array.from({ length: COUNT }, (_, index) => `${index}`));
      const reader = store.openReader('one');
      const events = await eventsIn(reader);
      for (const at of [0, 1, 255, 256, 257, events.length - 1]) {
        const after = JSON.parse(JSON.stringify(events[at]!.position));
        equal(await reader.holds(after), true);
        deepEqual(
          (await eventsIn(reader, after)).map(({ seq }) => seq),
          events.slice(at + 1).map(({ seq }) => seq),
        );
      }
      const { xxh64, ...place } = events[5]!.position;
      equal(await reader.holds({ ...place, xxh64: xxh64.replace(/./, (digit) => (digit === '0' ? '1' : '0')) }), false);
      const before = await reader.placeBefore(500);
      const rest = await eventsIn(reader, before);
      ok(rest[0]!.seq <= 500 && rest.some(({ seq }) => seq === 500));
      const last = await reader.lastSeq();
      ok(last === undefined || last === events.at(-1)?.seq);
      reader.close();
    },
    async 'The stamp of a journal, in a store that has stamps, is the one that its writer left, also after a close'(
      store,
    ) {
      const writer = await store.create('one', CREATED);
      const reader = store.openReader('one');
      for (const text of ['a', 'b']) {
        await writer.append(said(text));
        equal(await reader.stamp?.(), writer.stamp);
      }
      await writer.close();
      equal(await reader.stamp?.(), writer.stamp);
      reader.close();
    },
    async 'A reading is of the journal as it is when it begins, and may be given up'(store) {
      const writer = await store.create('one', CREATED);
      await writer.append(Array.from({ length: COUNT }, (_, index) => said(`${index}`)));
      const reader = store.openReader('one');
      const seen: StoredEvent[] = [];
      for await (const batch of reader.outcomes()) {
        seen.push(...eventsOf(batch));
        await writer.append(said('late'));
      }
      equal(seen.filter(({ data }) => data.text === 'late').length, 0);
      for await (const _ of reader.outcomes()) break;
      ok((await textsIn(store, 'one')).includes('late'));
      reader.close();
      await writer.close();
    },
    async 'A reading ends with the reason of its signal, and with an error where its reader is closed'(store) {
      await make(store, 'one', ...Array.from({ length: COUNT }, (_, index) => `${index}`));
      const reader = store.openReader('one');
      const stop = new AbortController();
      const stopped = async () => {
        for await (const _ of reader.outcomes({ signal: stop.signal })) stop.abort(new Error('enough'));
      };
      await rejects(stopped(), /enough/);
      const closed = async () => {
        for await (const _ of reader.outcomes()) reader.close();
      };
      await rejects(closed(), withCode('JOURNAL_CLOSED'));
    },
    async 'A follower gets what comes, until its signal ends it without an error'(store, another) {
      const writer = await store.create('one', CREATED);
      const reader = (await another()).openReader('one');
      const stop = new AbortController();
      const seen: unknown[] = [];
      await writer.append(said('before'));
      for await (const batch of reader.follow({ signal: stop.signal })) {
        seen.push(...eventsOf(batch).flatMap(({ data }) => data.text ?? []));
        if (seen.includes('after')) stop.abort();
        else if (seen.includes('before')) await writer.append(said('after'));
      }
      deepEqual(seen, ['before', 'after']);
      reader.close();
      await writer.close();
    },
    async 'A verification finds each line, and no damage in what was just written'(store) {
      await make(store, 'one', 'a', 'b');
      const reader = store.openReader('one');
      const events = await eventsIn(reader);
      const { damaged, lines, events: verified, bytes, head } = await reader.verify();
      deepEqual([damaged, lines, verified], [0, events.length, events.length]);
      deepEqual([bytes, head], [await reader.size(), events.at(-1)?.position]);
      equal(await reader.isBeingWritten(), false);
      reader.close();
    },
  });
}

async function eventsIn(reader: JournalReader, after?: StoredEvent['position']): Promise<StoredEvent[]> {
  return eventsOf((await Array.fromAsync(reader.outcomes({ after }))).flat());
}

function eventsOf(outcomes: readonly Outcome[]): StoredEvent[] {
  return outcomes.flatMap((outcome) => (outcome.kind === 'event' ? [outcome.event] : []));
}
