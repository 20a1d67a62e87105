// Which sessions an import is about, where they are not named one by one: all of some agents, or a file that someone
// sent.
import { hash } from 'node:crypto';
import { basename } from 'node:path';
import type { Agent, Source } from '../agents/agent.ts';
import { Fidelity } from '../agents/fidelity.ts';
import { bytesOf } from '../agents/kept.ts';
import { openSource, type SourceFiles } from '../agents/open-source.ts';
import { AGENT_NAMES, loadAgent } from '../agents/registry.ts';
import { OllmError } from '../errors/index.ts';
import { type ForeignPorts, unlistedPaths } from './find-sources.ts';
import type { FoundSource } from './import.ts';
import { sessionKeepers } from './session-keepers.ts';
import type { SkippedSource } from './sources.ts';
import { translatedRecords } from './translated-records.ts';

export interface WishedSources {
  readonly sources: readonly FoundSource[];
  /** What cannot be looked at. */
  readonly skipped: readonly SkippedSource[];
  /** As in `ListedSources`. */
  readonly unlisted: readonly string[];
}

/** Bytes of a file that are read to guess which program wrote it. */
const GUESSED_BYTES = 1024 * 1024;
/** Bytes of the first line that tell a file from others of its name. */
const BEGINNING_BYTES = 4096;
const HASH_DIGITS = 12;
const LINE_FEED = 0x0a;

/** All sessions of these agents, or of all agents. @throws OllmError USAGE if there is no such agent */
export async function sourcesOf(agents: readonly string[] | undefined, ports: ForeignPorts): Promise<WishedSources> {
  const sources: FoundSource[] = [];
  const skipped: SkippedSource[] = [];
  const unlisted: string[] = [];
  for await (const { agent, places } of sessionKeepers(ports, agents)) {
    for (const place of places.map((each) => each.found())) {
      for (const source of place.sources) sources.push({ agent, source, original: place.originals.get(source.id) });
      for (const { path, reason } of place.unreadable) skipped.push({ address: path, reason });
      unlisted.push(...unlistedPaths(place));
    }
  }
  return { sources, skipped, unlisted };
}

/**
 * A transcript at any path. Its program follows from its content, unless `agentName` names it: the one whose module
 * understands most records.
 * @throws OllmError IO_FAILED: no program's, or one of a program of which most records are not understood
 */
export async function sourceInFile(
  path: string,
  agentName: string | undefined,
  { files }: ForeignPorts,
): Promise<FoundSource> {
  const id = idOfFile(path, files);
  if (agentName !== undefined) {
    const agent = await loadAgent(agentName);
    return { agent, source: { agent: agent.name, id, path } };
  }
  let best: (FoundSource & Understood) | undefined;
  for (const name of AGENT_NAMES) {
    const agent = await loadAgent(name);
    const source: Source = { agent: agent.name, id, path };
    const understood = await understoodIn(agent, source, files);
    if (understood.said > 0 && isBetter(understood, best)) best = { agent, source, ...understood };
  }
  if (best !== undefined && 2 * best.records > best.all) return { agent: best.agent, source: best.source };
  const why =
    best === undefined
      ? 'is not a session of a program that is known here'
      : `is no session of ${best.agent.title}, which it is most like: ${best.records} of ${best.all} records understood`;
  throw new OllmError('IO_FAILED', `${path} ${why}.`, {
    hint: `--agent says whose it is, and imports what is understood: ${AGENT_NAMES.join(', ')}.`,
    data: { path },
  });
}

interface Understood {
  /** Messages and calls. */
  readonly said: number;
  /** Records of a type that the module knows. */
  readonly records: number;
  /** Records among them without unknown members. */
  readonly whole: number;
  readonly all: number;
}

/** Modules read more or fewer records in the first MiB: their shares are compared. */
function isBetter(one: Understood, other: Understood | undefined): boolean {
  if (other === undefined) return true;
  const shares = [one, other].map(({ records, whole, all }) => [records / all, whole / all] as const);
  const [known = 0, whole = 0] = [0, 1].map((which) => shares[0]![which]! - shares[1]![which]!);
  return (known || whole || one.said - other.said) > 0;
}

/**
 * An id from its name and its first bytes: programs give many files one name, and a file from elsewhere may have the
 * name of a session here.
 */
function idOfFile(path: string, files: SourceFiles): string {
  const name = basename(path).replace(/\.(?:jsonl?|zst|db)$/g, '');
  using handle = openSource(files, path);
  const start = Buffer.alloc(BEGINNING_BYTES);
  const bytes = start.subarray(0, handle.read(start, 0));
  const line = bytes.indexOf(LINE_FEED);
  const beginning = line < 0 ? bytes : bytes.subarray(0, line);
  return `${name}-${hash('sha256', beginning, 'hex').slice(0, HASH_DIGITS)}`;
}

/** Counts the records in the first MiB. */
async function understoodIn(agent: Agent, source: Source, files: SourceFiles): Promise<Understood> {
  const fidelity = new Fidelity(agent);
  let said = 0;
  let read = 0;
  if (agent.stored(source).kind !== 'rows') {
    const pieces = bytesOf(agent, source, files);
    for await (const record of translatedRecords(agent, source, pieces, { form: 'file', fidelity })) {
      said += record.events.filter(({ type }) => type === 'message.added' || type === 'tool.requested').length;
      read += record.bytes;
      if (read > GUESSED_BYTES) break;
    }
  }
  const { records, translated, kept, notUnderstood, damagedTotal } = fidelity.report();
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const unknown = sum(Object.entries(kept).map(([type, count]) => (type in notUnderstood ? count : 0)));
  const whole = sum(Object.values(translated));
  return { said, records: records - unknown, whole, all: records + damagedTotal };
}
