// Reading a journal back: verify and read, against the least that finds lines and hashes them, and against parsing them; for
// each length that was asked for, and for real conversations.
import { createReadStream } from 'node:fs';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import xxhash from 'xxhash-wasm';
import type { StoredEvent } from '../../lib/journal/types.ts';
import type { Case } from '../bench.ts';
import { eachLine, parseEachLine } from '../floors.ts';
import { journalsToRead, type SharedJournal } from '../journals.ts';
import { measure, type Reference, type Skipped } from '../measure.ts';
import { loadPeer, missingPeer } from '../peers.ts';
import { openStore } from '../sessions.ts';

const { h64Raw } = await xxhash();

export const run: Case = async function* (bench) {
  const peers = await loadPeers();
  for (const { missing } of peers) if (missing) yield missing;
  for await (const journal of journalsToRead(bench)) {
    const { name, pairs } = journal;
    const { scan, parsing, reading, verifying, streamed } = sides(journal);

    bench.progress(`verify, ${name}`);
    yield* await measure(
      {
        what: `verify ${name}: bytes, checksums, chain`,
        unit: 'MB/s',
        subject: verifying,
        against: [
          { ...scan, goal: { atLeast: 0.8 } },
          { ...parsing, goal: { atLeast: 5 } },
        ],
      },
      pairs,
    );

    bench.progress(`read, ${name}`);
    yield* await measure(
      {
        what: `read ${name}, checked, data untouched`,
        unit: 'MB/s',
        subject: reading(({ seq }) => seq),
        against: [scan, parsing],
      },
      pairs,
    );

    bench.progress(`read and parse, ${name}`);
    yield* await measure(
      {
        what: `read ${name}, checked, data parsed`,
        unit: 'MB/s',
        subject: reading(({ data }) => data),
        against: [
          { ...parsing, goal: { atLeast: 0.8 } },
          ...peers.flatMap(({ side }) => (side ? [streamed(side)] : [])),
        ],
      },
      pairs,
    );
  }
};

function sides({ path, directory, id, rate }: SharedJournal) {
  const open = () => openStore(directory).openReader(id);
  return {
    scan: {
      name: 'scan for LF and XXH64 of each line',
      run: rate(() => eachLine(path, (block, start, end) => h64Raw(block.subarray(start, end)))),
    },
    parsing: { name: 'JSON.parse of each line', run: rate(() => parseEachLine(path)) },
    verifying: rate(() => {
      const reader = open();
      const { damaged } = reader.verify();
      reader.close();
      if (damaged > 0) throw new Error(`${path} is damaged`);
    }),
    reading: (use: (event: StoredEvent) => unknown) =>
      rate(() => {
        const reader = open();
        for (const outcome of reader.outcomes()) if (outcome.kind === 'event') use(outcome.event);
        reader.close();
      }),
    streamed: ({ name, parser }: StreamedPeer): Reference => ({
      name,
      goal: { atLeast: 1 },
      run: rate(() =>
        pipeline(createReadStream(path), parser(), async (events) => {
          for await (const event of events) void event;
        }),
      ),
    }),
  };
}

interface StreamedPeer {
  readonly name: string;
  readonly parser: () => Duplex;
}

async function loadPeers(): Promise<readonly { readonly side?: StreamedPeer; readonly missing?: Skipped }[]> {
  const split2 = (await loadPeer<{ default: (map: (line: string) => unknown) => Duplex }>('split2'))?.default;
  const ndjson = (await loadPeer<{ default: { parse(): Duplex } }>('ndjson'))?.default;
  return [
    split2
      ? { side: { name: 'split2 and JSON.parse', parser: () => split2(JSON.parse) } }
      : { missing: missingPeer('read against split2', 'split2') },
    ndjson
      ? { side: { name: 'ndjson', parser: () => ndjson.parse() } }
      : { missing: missingPeer('read against ndjson', 'ndjson') },
  ];
}
