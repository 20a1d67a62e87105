// A place near an event of a journal, found without reading the part before it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { openFileStore } from '../../../lib/file-store/file-store.ts';
import { openMemoryStore } from '../../../lib/file-store/memory-store.ts';
import { type JournalSource, placeBefore } from '../../../lib/journal/reading/scan.ts';
import type { JournalReader } from '../../../lib/journal/types.ts';
import type { FileStat } from '../../../lib/platform/files/file-system.ts';
import { realPorts } from '../../support/journal-on-disk.ts';

async function journalOf(sizes: readonly number[]): Promise<{ reader: JournalReader; lastSeq: number }> {
  const store = openMemoryStore(realPorts('test'));
  const writer = await store.create('walk', {});
  for (const size of sizes)
    await writer.append({ type: 'note.taken', data: { text: 'x'.repeat(size) }, ignorable: true });
  await writer.close();
  return { reader: store.openReader('walk'), lastSeq: sizes.length };
}

async function seqsFrom(reader: JournalReader, seq: number): Promise<number[]> {
  const after = await reader.placeBefore(seq);
  expect(after?.seq ?? -1).toBeLessThan(seq);
  const seqs: number[] = [];
  for await (const batch of reader.outcomes({ after })) {
    for (const outcome of batch) {
      if (outcome.kind === 'damage') throw new Error(outcome.damage.reason);
      seqs.push(outcome.event.seq);
    }
  }
  return seqs.filter((each) => each >= seq);
}

describe('a position before an event', () => {
  it('leads to it and all events after it, in journals of lines of any length', async () => {
    const sizes = fc.array(fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.constant(200_000)), {
      minLength: 1,
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(sizes, fc.double({ min: 0, max: 1, noNaN: true }), async (lengths, part) => {
        const { reader, lastSeq } = await journalOf(lengths);
        const seq = Math.round(part * lastSeq);
        const seqs = await seqsFrom(reader, seq);
        expect(seqs[0]).toBe(seq);
        reader.close();
      }),
      { numRuns: 100 },
    );
  });

  it('is found by reading a part that hardly grows with the journal', async () => {
    const few = await bytesReadIn(4_000);
    const many = await bytesReadIn(32_000);
    // Three more halves.
    expect(many).toBeLessThanOrEqual(few + 3 * 64 * 1024);
  });
});

/** How much is read to find the middle of a journal of that many events. */
async function bytesReadIn(count: number): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'ollm-seek-'));
  try {
    const store = openFileStore(realPorts('test'), { directory });
    const writer = await store.create('walk', {});
    const event = { type: 'note.taken', data: { text: 'x'.repeat(200) }, ignorable: true } as const;
    await writer.append(Array.from({ length: count }, () => event));
    await writer.close();
    const bytes = readFileSync(join(directory, 'walk.jsonl'));
    let read = 0;
    const source: JournalSource = {
      stat: () => ({ size: bytes.length }) as FileStat,
      read(target, position) {
        const came = bytes.copy(target, 0, position);
        read += came;
        return came;
      },
    };
    const seq = Math.floor(count / 2) + 7;
    const place = await placeBefore(source, seq);
    expect(place?.seq).toBeLessThan(seq);
    expect(place?.seq).toBeGreaterThan(seq - 1_000);
    return read;
  } finally {
    rmSync(directory, { recursive: true });
  }
}
