// The session of another program: read in place as events, compared with JSON.parse of each of its lines; imported,
// next to the appending of the same events; and the memory of a watch over many. By processor time, because other
// programs run too.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { claudePath, claudeTalk, writeClaude } from '../../__tests__/support/claude-session.ts';
import { batches, openStore } from '../../__tests__/support/generated-journals.ts';
import { CREATED } from '../../__tests__/support/generated-session.ts';
import { claude } from '../../lib/agents/claude/claude.ts';
import { openForeign } from '../../lib/agents/open-foreign.ts';
import { importSession } from '../../lib/hub/import-session.ts';
import type { JournalStore, NewEvent } from '../../lib/journal/types.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import type { Bench, Case } from '../case.ts';
import { parseLines } from '../floors.ts';
import { type Contest, perSecond, processorMilliseconds } from '../measure.ts';
import { peakOf } from '../program.ts';

const FILES = { fileSystem: nodeFileSystem, uid: undefined };
/** As an import appends them. */
const EVENTS_AT_ONCE = 256;

export const run: Case = async function* (bench) {
  yield reading(bench);
  yield await importing(bench);
  yield watching(bench);
};

/**
 * As in a process that reads many sessions: each side has read as much before, because between two rounds the collector
 * throws away the shapes of the records, and with them the code that was compiled for them.
 */
function reading({ size, directory }: Bench): Contest {
  const path = join(directory, 'long.jsonl');
  const bytes = writeClaude(path, claudeTalk(), { bytes: size(100e6, 1e5) });
  const rate = (read: () => unknown) => async () => {
    await read();
    return perSecond(bytes / 1e6, read, processorMilliseconds)();
  };
  const ollm = rate(async () => {
    using reader = openForeign(claude, { agent: claude.name, id: 'talk', path }, FILES);
    for await (const batch of reader.outcomes()) void batch;
  });
  const against = [['JSON.parse of each line', rate(() => parseLines(path)), 0.5]] as const;
  return { what: `a session of Claude Code, ${Math.round(bytes / 1e6)} MB, as events`, unit: 'MB/s', ollm, against };
}

async function importing({ size, directory }: Bench): Promise<Contest> {
  const path = join(directory, 'talk.jsonl');
  const bytes = writeClaude(path, claudeTalk(), { bytes: size(20e6, 1e5) });
  const source = { agent: claude.name, id: 'talk', path };
  const outcomes = (await Array.fromAsync(openForeign(claude, source, FILES).outcomes())).flat();
  const events = outcomes.flatMap((outcome): NewEvent[] => {
    if (outcome.kind !== 'event') return [];
    const { type, data, turn } = outcome.event;
    return [{ type, data, ...(turn !== undefined && { turn }) }];
  });
  const stores = join(directory, 'stores');
  const rate = (work: (store: JournalStore) => Promise<unknown>) => () => {
    rmSync(stores, { recursive: true, force: true });
    const store = openStore(stores);
    return perSecond(events.length, () => work(store), processorMilliseconds)();
  };
  const ollm = rate(async (store) => {
    const options = { store, files: FILES, keepsSource: true, keepsOutputs: true };
    const { kind } = await importSession(claude, source, options);
    if (kind !== 'imported') throw new Error(kind);
  });
  const append = rate(async (store) => {
    const writer = await store.create('talk', CREATED);
    for (const batch of batches(events.slice(1), EVENTS_AT_ONCE)) await writer.append(batch);
    await writer.close();
  });
  const against = [['append of the same events, in batches', append, 0.5]] as const;
  return { what: `import of ${Math.round(bytes / 1e6)} MB, with its source`, unit: 'events/s', ollm, against };
}

/** A file in a hundred is a conversation: the cost of the others is the walk. */
function watching({ size, directory }: Bench): Contest {
  const home = join(directory, 'watched');
  const files = size(20_000, 100);
  for (let number = 0; number < files; number += 1) {
    const isTalk = number % 100 === 0;
    writeClaude(claudePath(home, number), isTalk ? claudeTalk() : [{ type: 'mode', mode: 'plan' }], { bytes: 20_000 });
  }
  const what = `peak memory of watch, as its unit runs it, ${files.toLocaleString('en')} files`;
  const ollm = () => peakOf(home, ['watch', '--once'], ['--max-semi-space-size=4']);
  return { what, unit: 'MB', ollm, limit: 150, rounds: 1 };
}
