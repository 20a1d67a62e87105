// The session of another program: read in place as events, compared with JSON.parse of each of its lines; imported,
// next to the appending of the same events; and the memory of a watch over many. By processor time, because other
// programs run too.
import { hash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import type { ForeignEvent } from '../../lib/agents/agent.ts';
import { claude } from '../../lib/agents/claude/claude.ts';
import { openForeign } from '../../lib/agents/open-foreign.ts';
import { importSession } from '../../lib/hub/import-session.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import type { Bench, Case } from '../case.ts';
import { parseEachLine } from '../floors.ts';
import { writeTalk } from '../foreign-talk.ts';
import { CREATED } from '../generated-session.ts';
import { type Contest, processorMilliseconds, type Timed } from '../measure.ts';
import { programIn } from '../program.ts';
import { batches, openStore } from '../sessions.ts';

const FILES = { fileSystem: nodeFileSystem, uid: undefined };
/** As an import appends them. */
const EVENTS_AT_ONCE = 256;
const PART_BYTES = 4 * 2 ** 20;

export const run: Case = async function* (bench) {
  yield* readings(bench);
  yield* imports(bench);
  yield* watches(bench);
};

/**
 * As in a process that reads many sessions: each side has read as much before, because between two rounds the collector
 * throws away the shapes of the records, and with them the code that was compiled for them.
 */
async function* readings({ size, directory, progress }: Bench): AsyncGenerator<Contest> {
  for (const { sessions, megabytes } of [
    { sessions: 25, megabytes: 4 },
    { sessions: 1, megabytes: 100 },
  ]) {
    const path = join(directory, `talk-${megabytes}.jsonl`);
    progress(`writing ${megabytes} MB`);
    const bytes = writeTalk(path, size(megabytes * 1e6, 1e5));
    const rate = (read: () => unknown): Timed => {
      const readAll = async () => {
        for (let session = 0; session < sessions; session += 1) await read();
      };
      return async () => {
        await readAll();
        return (sessions * bytes) / 1e3 / (await processorMilliseconds(readAll));
      };
    };
    const many = sessions === 1 ? 'a session' : `${sessions} sessions`;
    yield {
      what: `${many} of Claude Code, ${megabytes} MB, as events`,
      unit: 'MB/s',
      subject: rate(async () => {
        const source = { agent: claude.name, id: 'talk', path };
        const reader = openForeign(claude, source, FILES);
        for await (const batch of reader.outcomes()) void batch;
        reader.close();
      }),
      against: [{ name: 'JSON.parse of each line', atLeast: 0.5, run: rate(() => parseEachLine(path)) }],
    };
  }
}

async function* imports({ size, directory }: Bench): AsyncGenerator<Contest> {
  const path = join(directory, 'talk.jsonl');
  const bytes = writeTalk(path, size(20e6, 1e5));
  const source = { agent: claude.name, id: 'talk', path };
  const events: ForeignEvent[] = [];
  for await (const batch of openForeign(claude, source, FILES).outcomes()) {
    for (const outcome of batch) if (outcome.kind === 'event') events.push(outcome.event);
  }
  const stores = join(directory, 'stores');
  const rate =
    (work: (store: ReturnType<typeof openStore>) => Promise<unknown>): Timed =>
    async () => {
      rmSync(stores, { recursive: true, force: true });
      const store = openStore(stores);
      return (events.length / (await processorMilliseconds(() => work(store)))) * 1000;
    };
  const subject = rate(async (store) => {
    const { kind } = await importSession(claude, source, {
      store,
      files: FILES,
      keepsSource: true,
      keepsOutputs: true,
    });
    if (kind !== 'imported') throw new Error(kind);
  });
  const append = async (store: ReturnType<typeof openStore>) => {
    const writer = await store.create('talk', CREATED);
    for (const batch of batches(events.slice(1), EVENTS_AT_ONCE)) {
      await writer.append(
        batch.map(({ type, data, turn }) => ({ type, data, ...(turn === undefined ? {} : { turn }) })),
      );
    }
    await writer.close();
  };
  const what = `import of ${Math.round(bytes / 1e6)} MB, with its source`;
  const against = [
    { name: 'append of the same events, in batches', atLeast: 0.5, run: rate(append) },
    {
      name: 'that, and reading, JSON.parse, sha256 and zstd',
      atLeast: 0.5,
      run: rate(async (store) => {
        parseEachLine(path);
        await append(store);
        keepAlone(path, join(stores, 'talk.zst'));
      }),
    },
  ];
  yield { what, unit: 'events/s', subject, against };
}

/** The least that keeps a source: its bytes, compressed in parts, with the hash of each part. */
function keepAlone(from: string, to: string): void {
  const bytes = readFileSync(from);
  for (let at = 0; at < bytes.length; at += PART_BYTES) {
    const part = bytes.subarray(at, at + PART_BYTES);
    hash('sha256', part);
    appendFileSync(to, zstdCompressSync(part));
  }
}

/** A file in a hundred is a conversation: the cost of the others is the walk. */
async function* watches({ size, directory, progress }: Bench): AsyncGenerator<Contest> {
  const program = programIn(directory);
  const home = join(directory, 'watched');
  const files = size(20_000, 100);
  progress(`writing ${files} files`);
  for (let number = 0; number < files; number += 1) {
    const folder = join(home, '.claude/projects', `project-${number % 200}`);
    if (number < 200) mkdirSync(folder, { recursive: true });
    const path = join(folder, `${number}.jsonl`);
    if (number % 100 === 0) writeTalk(path, 20_000);
    else writeFileSync(path, '{"type":"mode","mode":"plan"}\n');
  }
  const what = `peak memory of watch, as its unit runs it, ${files.toLocaleString('en')} files`;
  const subject = () => program.peakUnder(['--max-semi-space-size=4'], home, 'watch', '--once');
  yield { what, unit: 'MB', subject, limit: 150, rounds: 1 };
}
