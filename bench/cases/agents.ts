// The session of another program: read in place as events, compared with JSON.parse of each of its lines; imported,
// next to the appending of the same events; and the memory of a watch over many. By processor time, because other
// programs run too.
import { hash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { batches, openStore } from '../../__tests__/support/generated-journals.ts';
import { CREATED } from '../../__tests__/support/generated-session.ts';
import { claude } from '../../lib/agents/claude/claude.ts';
import { openForeign } from '../../lib/agents/open-foreign.ts';
import { importSession } from '../../lib/hub/import-session.ts';
import type { JournalStore, NewEvent } from '../../lib/journal/types.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import type { Bench, Case } from '../case.ts';
import { claudePath, claudeTalk, writeClaude } from '../claude-files.ts';
import { eachParsed } from '../floors.ts';
import { type Contest, perSecond, processorMilliseconds } from '../measure.ts';
import { peakOf } from '../program.ts';

const FILES = { fileSystem: nodeFileSystem, uid: undefined };
/** As an import appends them. */
const EVENTS_AT_ONCE = 256;
const PART_BYTES = 4 * 2 ** 20;

export const run: Case = async function* (bench) {
  for (const [sessions, megabytes] of [
    [25, 4],
    [1, 100],
  ] as const)
    yield reading(bench, sessions, megabytes);
  yield await importing(bench);
  yield watching(bench);
};

/**
 * As in a process that reads many sessions: each side has read as much before, because between two rounds the collector
 * throws away the shapes of the records, and with them the code that was compiled for them.
 */
function reading({ size, directory, progress }: Bench, sessions: number, megabytes: number): Contest {
  const path = join(directory, `talk-${megabytes}.jsonl`);
  progress(`writing ${megabytes} MB`);
  const bytes = writeClaude(path, claudeTalk(), { bytes: size(megabytes * 1e6, 1e5) });
  const rate = (read: () => unknown) => {
    const readAll = async () => {
      for (let session = 0; session < sessions; session += 1) await read();
    };
    const measured = perSecond((sessions * bytes) / 1e6, readAll, processorMilliseconds);
    return async () => {
      await readAll();
      return measured();
    };
  };
  const subject = rate(async () => {
    const reader = openForeign(claude, { agent: claude.name, id: 'talk', path }, FILES);
    for await (const batch of reader.outcomes()) void batch;
    reader.close();
  });
  const many = sessions === 1 ? 'a session' : `${sessions} sessions`;
  const against = [{ name: 'JSON.parse of each line', atLeast: 0.5, run: rate(() => eachParsed(path)) }];
  return { what: `${many} of Claude Code, ${megabytes} MB, as events`, unit: 'MB/s', subject, against };
}

async function importing({ size, directory }: Bench): Promise<Contest> {
  const path = join(directory, 'talk.jsonl');
  const bytes = writeClaude(path, claudeTalk(), { bytes: size(20e6, 1e5) });
  const source = { agent: claude.name, id: 'talk', path };
  const events: NewEvent[] = [];
  for await (const batch of openForeign(claude, source, FILES).outcomes()) {
    for (const { event } of batch.filter((outcome) => outcome.kind === 'event')) {
      const { type, data, turn } = event;
      events.push({ type, data, ...(turn !== undefined && { turn }) });
    }
  }
  const stores = join(directory, 'stores');
  const rate = (work: (store: JournalStore) => Promise<unknown>) => () => {
    rmSync(stores, { recursive: true, force: true });
    const store = openStore(stores);
    return perSecond(events.length, () => work(store), processorMilliseconds)();
  };
  const append = async (store: JournalStore) => {
    const writer = await store.create('talk', CREATED);
    for (const batch of batches(events.slice(1), EVENTS_AT_ONCE)) await writer.append(batch);
    await writer.close();
  };
  const subject = rate(async (store) => {
    const options = { store, files: FILES, keepsSource: true, keepsOutputs: true };
    const { kind } = await importSession(claude, source, options);
    if (kind !== 'imported') throw new Error(kind);
  });
  const allOfIt = async (store: JournalStore) => {
    eachParsed(path);
    await append(store);
    keepAlone(path, join(stores, 'talk.zst'));
  };
  const against = [
    { name: 'append of the same events, in batches', atLeast: 0.5, run: rate(append) },
    { name: 'that, and reading, JSON.parse, sha256 and zstd', atLeast: 0.5, run: rate(allOfIt) },
  ];
  return { what: `import of ${Math.round(bytes / 1e6)} MB, with its source`, unit: 'events/s', subject, against };
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
function watching({ size, directory, progress }: Bench): Contest {
  const home = join(directory, 'watched');
  const files = size(20_000, 100);
  progress(`writing ${files} files`);
  for (let number = 0; number < files; number += 1) {
    const path = claudePath(home, number);
    if (number % 100 === 0) writeClaude(path, claudeTalk(), { bytes: 20_000 });
    else {
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, '{"type":"mode","mode":"plan"}\n');
    }
  }
  const what = `peak memory of watch, as its unit runs it, ${files.toLocaleString('en')} files`;
  const subject = () => peakOf(home, ['watch', '--once'], ['--max-semi-space-size=4']);
  return { what, unit: 'MB', subject, limit: 150, rounds: 1 };
}
