// Folds, exports and the commands that read a session take any conversation, not only a journal: one without lines,
// checksums and offsets, with positions that only its own reader understands.
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { auditConversation } from '../../../../lib/app/sessions/read/audit-session.ts';
import { exportConversation } from '../../../../lib/app/sessions/read/export-session.ts';
import { replayConversation } from '../../../../lib/app/sessions/read/replay-session.ts';
import { describeConversation } from '../../../../lib/app/sessions/read/show-session.ts';
import { tailConversation } from '../../../../lib/app/sessions/read/tail-session.ts';
import { tryThresholds } from '../../../../lib/app/sessions/read/try-loop-detection.ts';
import type { Damage, EventReader, NewEvent, Outcome, SessionEvent } from '../../../../lib/journal/types.ts';
import { createLoopFold } from '../../../../lib/projections/loop.ts';
import { createFiringsFold } from '../../../../lib/projections/loop-firings.ts';
import type { Fold } from '../../../../lib/projections/projection.ts';
import { replay } from '../../../../lib/projections/replay.ts';
import { eventReaderContract } from '../../../journal/reading/event-reader.contract.ts';
import { arbitrarySession } from '../../../support/arbitrary-session.ts';
import { event, readerOf, stored } from '../../../support/event-list.ts';
import { listedConversation } from '../../../support/listed-conversation.ts';

const LIB = new URL('../../../../lib/', import.meta.url);
const DAMAGE: Damage = { kind: 'not-json', offset: 4, length: 7, line: 2, reason: 'A record that cannot be read.' };
const CONFIG = { maxTurns: 50, repeatThreshold: 3 };

eventReaderContract('a conversation that is not a journal', async (texts) => {
  const message = (text: string) => event.said('user', text);
  const conversation = listedConversation([event.created(), ...texts.map(message)]);
  return {
    reader: conversation.reader,
    say: async (text) => conversation.append(message(text)),
    dispose: async () => conversation.reader.close(),
  };
});

/** Every fold that a file of these folders exports, by its name. */
async function everyFold(): Promise<Record<string, Fold<unknown>>> {
  const folders = ['projections', 'session', 'exporters'];
  const files = folders.flatMap((folder) =>
    readdirSync(new URL(folder, LIB)).flatMap((file) => (file.endsWith('.ts') ? [`${folder}/${file}`] : [])),
  );
  const modules = await Promise.all(files.map((file) => import(new URL(file, LIB).href) as Promise<object>));
  const folds = modules.flatMap((module) => Object.values(module)).filter(isFold);
  folds.push(createLoopFold(CONFIG) as Fold<unknown>, createFiringsFold(CONFIG) as Fold<unknown>);
  return Object.fromEntries(folds.map((fold) => [fold.name, fold]));
}

function isFold(value: unknown): value is Fold<unknown> {
  return typeof value === 'object' && value !== null && 'reads' in value && 'initial' in value && 'apply' in value;
}

/** Equal events in a journal and in a list; `seq` and times are equal too. */
const both = () =>
  arbitrarySession().map((events) => ({
    journal: readerOf(stored(events)),
    listed: listedConversation(events as readonly NewEvent[], { id: 'listed' }).reader as EventReader,
  }));

const RUNS = { numRuns: 100 };

describe('a conversation that is not a journal', () => {
  it('gives every fold the state of a journal', async () => {
    const folds = await everyFold();
    expect(Object.keys(folds).sort()).toEqual(
      [
        ...['audit', 'budget', 'compaction', 'context', 'file-changes', 'loop', 'loop-firings', 'open-ends', 'outline'],
        ...['queue', 'session', 'streamed', 'summary', 'survey', 'tools', 'view'],
      ].sort(),
    );
    await fc.assert(
      fc.asyncProperty(both(), async ({ journal, listed }) => {
        const expected = await replay(journal, folds);
        const found = await replay(listed, folds);
        expect(found.states).toEqual(expected.states);
        expect(found.counts).toEqual(expected.counts);
        expect(found.lastSeq).toBe(expected.lastSeq);
      }),
      RUNS,
    );
  });

  it('continues from saved states after a position without events', async () => {
    const folds = await everyFold();
    await fc.assert(
      fc.asyncProperty(both(), fc.nat(), async ({ listed }, pick) => {
        const whole = await replay(listed, folds);
        const from = await replay(listed, folds, { at: { seq: pick % (whole.lastSeq + 1) } });
        expect(typeof from.position).toBe('string');
        expect((await replay(listed, folds, { from })).states).toEqual(whole.states);
      }),
      RUNS,
    );
  });

  it.each(['md', 'html', 'json', 'jsonl', 'otel', 'atif', 'asf'] as const)(
    'is exported like a journal (%s)',
    async (format) => {
      // Lines of a journal are redacted here: those of a list have nothing else.
      const redact = format === 'jsonl' ? (text: string) => text.replaceAll('e', '3') : undefined;
      const exported = async (reader: EventReader, to?: number) => {
        const { chunks, losses, ...more } = await exportConversation(
          reader,
          { format, ...(to === undefined ? {} : { to }) },
          redact,
        );
        const text = Buffer.concat(await Array.fromAsync(chunks)).toString();
        return { ...more, text, losses: losses() };
      };
      await fc.assert(
        fc.asyncProperty(both(), fc.nat(), async ({ journal, listed }, pick) => {
          expect(await exported(listed)).toEqual(await exported(journal));
          const { lastSeq } = await replay(journal, {});
          const to = pick % (lastSeq + 1);
          expect(await exported(listed, to)).toEqual(await exported(journal, to));
        }),
        RUNS,
      );
    },
  );

  it('is not exported as the lines of a journal, because it has none', async () => {
    const { reader } = listedConversation([event.created()]);
    await expect(exportConversation(reader, { format: 'jsonl' })).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('has no checksums of its own'),
    });
  });

  it('is shown, audited, tried for loops and replayed like a journal', async () => {
    const states = ['session', 'view', 'budget', 'loop', 'context', 'summary'] as const;
    await fc.assert(
      fc.asyncProperty(both(), async ({ journal, listed }) => {
        expect(await describeConversation(listed)).toEqual(await describeConversation(journal));
        expect(await auditConversation(listed)).toEqual(await auditConversation(journal));
        const options = { maxTurns: 3, thresholds: [2, 3] };
        expect(await tryThresholds(listed, options)).toEqual(await tryThresholds(journal, options));
        const { position: _, ...found } = await replayConversation(listed, { states });
        const { position: __, ...expected } = await replayConversation(journal, { states });
        expect(found).toEqual(expected);
      }),
      RUNS,
    );
  });

  it('has the same last events when read from its beginning as a journal that is read from its end', async () => {
    const { signal } = new AbortController();
    const types = fc.constantFrom(undefined, ['message.*'], ['tool.*', 'turn.*'], ['nothing']);
    const lines = fc.oneof(fc.nat(12), fc.constant(Number.POSITIVE_INFINITY));
    await fc.assert(
      fc.asyncProperty(arbitrarySession(), types, lines, fc.array(fc.nat()), async (events, types, lines, places) => {
        const inJournal: Parameters<typeof readerOf>[0][number][] = stored(events);
        const inList: Parameters<typeof listedConversation>[0][number][] = [...events];
        for (const place of places) {
          const index = place % (inJournal.length + 1);
          inJournal.splice(index, 0, DAMAGE);
          inList.splice(index, 0, DAMAGE);
        }
        const tail = async (reader: EventReader) =>
          (await Array.fromAsync(tailConversation(reader, { lines, types, signal }))).map(wordsOf);
        expect(await tail(listedConversation(inList).reader)).toEqual(await tail(readerOf(inJournal)));
      }),
      RUNS,
    );
  });

  it('is followed after its last event', async () => {
    const conversation = listedConversation([event.created(), event.said('user', 'one'), event.said('user', 'two')]);
    const stop = new AbortController();
    const seen: number[] = [];
    for await (const outcome of tailConversation(conversation.reader, {
      lines: 1,
      follow: true,
      signal: stop.signal,
    })) {
      if (outcome.kind === 'event') seen.push(outcome.event.seq);
      if (seen.length === 1) conversation.append(event.said('user', 'three'));
      else stop.abort();
    }
    expect(seen).toEqual([2, 3]);
  });

  it('reports its unreadable parts', async () => {
    const { reader } = listedConversation([event.created(), DAMAGE, event.said('user', 'one')]);
    expect(await describeConversation(reader)).toMatchObject({ events: 2, damage: [DAMAGE] });
    expect(await auditConversation(reader)).toMatchObject({ damaged: 1, damage: [DAMAGE] });
    expect(await exportConversation(reader, { format: 'md' })).toMatchObject({ damaged: 1 });
  });
});

/** seq is the place in the list, which damage takes up too. */
function wordsOf(outcome: Outcome<SessionEvent>): unknown {
  return outcome.kind === 'damage' ? outcome.damage : [outcome.event.type, outcome.event.data];
}
