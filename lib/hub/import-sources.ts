// Which sessions an import is about, where they are not named one by one: all of some agents, or a file that someone
// sent.
import { hash } from 'node:crypto';
import { basename } from 'node:path';
import type { Agent, Source } from '../agents/agent.ts';
import { bytesOf } from '../agents/kept.ts';
import { openSource, type SourceFiles } from '../agents/open-source.ts';
import { AGENT_NAMES, loadAgent } from '../agents/registry.ts';
import { OllmError } from '../errors/index.ts';
import { type ForeignPorts, findSources, unlistedPaths } from './find-sources.ts';
import type { FoundSource } from './import.ts';
import type { SkippedSource } from './sources.ts';
import { translatedRecords } from './translated-records.ts';

export interface WishedSources {
  readonly sources: readonly FoundSource[];
  /** What cannot be looked at. */
  readonly skipped: readonly SkippedSource[];
  /** As in `ListedSources`. */
  readonly unlisted: readonly string[];
}

/** So much of a file says which program wrote it. */
const GUESSED_BYTES = 1024 * 1024;
/** So much of the first line tells a file from others of its name. */
const BEGINNING_BYTES = 4096;
const HASH_DIGITS = 12;
const LINE_FEED = 0x0a;

/** Every session of these agents, or of all. @throws OllmError USAGE if there is no such agent */
export async function sourcesOf(agents: readonly string[] | undefined, ports: ForeignPorts): Promise<WishedSources> {
  const sources: FoundSource[] = [];
  const skipped: SkippedSource[] = [];
  const unlisted: string[] = [];
  for (const name of agents ?? AGENT_NAMES) {
    const agent = await loadAgent(name);
    const found = findSources(agent, ports);
    for (const place of found) {
      for (const source of place.sources) sources.push({ agent, source, original: place.originals.get(source.id) });
    }
    for (const { path, reason } of found.flatMap(({ unreadable }) => unreadable))
      skipped.push({ address: path, reason });
    unlisted.push(...found.flatMap(unlistedPaths));
  }
  return { sources, skipped, unlisted };
}

/** A transcript anywhere. Whose it is follows from what is in it, unless `agentName` says so. */
export async function sourceInFile(
  path: string,
  agentName: string | undefined,
  { files }: ForeignPorts,
): Promise<FoundSource> {
  const id = idOfFile(path, files);
  const candidates: { readonly agent: Agent; readonly source: Source; readonly score: number }[] = [];
  for (const name of agentName === undefined ? AGENT_NAMES : [agentName]) {
    const agent = await loadAgent(name);
    const source: Source = { agent: agent.name, id, path };
    if (agentName !== undefined) return { agent, source };
    candidates.push({ agent, source, score: await countEvents(agent, source, files) });
  }
  const best = candidates.reduce((most, each) => (each.score > most.score ? each : most));
  if (best.score > 0) return best;
  throw new OllmError('IO_FAILED', `${path} is not a session of a program that is known here.`, {
    hint: `--agent says whose it is: ${AGENT_NAMES.join(', ')}.`,
    data: { path },
  });
}

/**
 * Its name, and what it begins with: programs give many files one name, and one that was sent may have the name of a
 * session here.
 */
function idOfFile(path: string, files: SourceFiles): string {
  const name = basename(path).replace(/\.(?:jsonl?|zst|db)$/g, '');
  const handle = openSource(files, path);
  try {
    const start = Buffer.alloc(BEGINNING_BYTES);
    const bytes = start.subarray(0, handle.read(start, 0));
    const line = bytes.indexOf(LINE_FEED);
    const beginning = line < 0 ? bytes : bytes.subarray(0, line);
    return `${name}-${hash('sha256', beginning, 'hex').slice(0, HASH_DIGITS)}`;
  } finally {
    handle.close();
  }
}

async function countEvents(agent: Agent, source: Source, files: SourceFiles): Promise<number> {
  if (agent.stored(source).kind === 'rows') return 0;
  let count = 0;
  let read = 0;
  for await (const record of translatedRecords(agent, source, bytesOf(agent, source, files), { form: 'file' })) {
    const said = record.events.filter(({ type }) => type === 'message.added' || type === 'tool.requested');
    count += said.length;
    read += record.bytes;
    if (read > GUESSED_BYTES) break;
  }
  return count;
}
