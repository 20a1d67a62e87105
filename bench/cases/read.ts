// Reading a journal back: verify and read, against the least that finds lines and hashes them, and against parsing them.
import { createReadStream } from 'node:fs';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import xxhash from 'xxhash-wasm';
import type { Case } from '../bench.ts';
import { eachLine, parseEachLine } from '../floors.ts';
import { measure, type Reference, seconds } from '../measure.ts';
import { loadPeer, missingPeer } from '../peers.ts';
import { openStore, writeJournal } from '../sessions.ts';

export const run: Case = async function* ({ quick, seed, pairs, directory, progress }) {
  progress('writing the journal');
  const { path, bytes } = await writeJournal(directory, 'read', quick ? 20_000 : 100_000, { seed });
  const store = openStore(directory);
  const rate = async (work: () => unknown) => bytes / 1e6 / (await seconds(work));
  const { h64Raw } = await xxhash();

  const parsing: Reference = { name: 'JSON.parse of each line', run: () => rate(() => parseEachLine(path)) };

  progress('verify');
  yield* await measure(
    {
      what: 'verify: bytes, checksums, chain',
      unit: 'MB/s',
      subject: () =>
        rate(() => {
          const reader = store.openReader('read');
          const { damaged } = reader.verify();
          reader.close();
          if (damaged > 0) throw new Error(`${path} is damaged`);
        }),
      against: [
        {
          name: 'scan for LF and XXH64 of each line',
          goal: { atLeast: 0.8 },
          run: () => rate(() => eachLine(path, (block, start, end) => h64Raw(block.subarray(start, end)))),
        },
        { ...parsing, goal: { atLeast: 5 } },
      ],
    },
    pairs,
  );

  progress('read');
  yield* await measure(
    {
      what: 'read every event, checked, data untouched',
      unit: 'MB/s',
      subject: () =>
        rate(() => {
          const reader = store.openReader('read');
          for (const outcome of reader.outcomes()) if (outcome.kind === 'event') void outcome.event.seq;
          reader.close();
        }),
      against: [
        {
          name: 'scan for LF and XXH64 of each line',
          run: () => rate(() => eachLine(path, (block, start, end) => h64Raw(block.subarray(start, end)))),
        },
        parsing,
      ],
    },
    pairs,
  );

  const peers: Reference[] = [];
  const split2 = (await loadPeer<{ default: (map: (line: string) => unknown) => Duplex }>('split2'))?.default;
  const ndjson = (await loadPeer<{ default: { parse(): Duplex } }>('ndjson'))?.default;
  if (split2) peers.push(streamed('split2 and JSON.parse', () => split2(JSON.parse)));
  else yield missingPeer('read against split2', 'split2');
  if (ndjson) peers.push(streamed('ndjson', () => ndjson.parse()));
  else yield missingPeer('read against ndjson', 'ndjson');

  yield* await measure(
    {
      what: 'read every event, checked, data parsed',
      unit: 'MB/s',
      subject: () =>
        rate(() => {
          const reader = store.openReader('read');
          for (const outcome of reader.outcomes()) if (outcome.kind === 'event') void outcome.event.data;
          reader.close();
        }),
      against: [{ ...parsing, goal: { atLeast: 0.8 } }, ...peers.map((peer) => ({ ...peer, goal: { atLeast: 1 } }))],
    },
    pairs,
  );

  function streamed(name: string, parser: () => Duplex): Reference {
    return {
      name,
      run: () =>
        rate(() =>
          pipeline(createReadStream(path), parser(), async (events) => {
            for await (const event of events) void event;
          }),
        ),
    };
  }
};
