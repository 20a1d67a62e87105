// What a list says of a session of another program, from a look at the ends of its file.
import { setImmediate as breathe } from 'node:timers/promises';
import type { Agent, Head, Source } from '../../agents/agent.ts';
import { readHead } from '../../agents/head.ts';
import type { SourceFile } from '../../catalog/text-source.ts';
import { isOllmError, type OllmError } from '../../errors/index.ts';
import { isSettled } from '../../platform/files/settled.ts';
import type { App } from '../app.ts';
import { foreignPorts } from '../start/foreign-ports.ts';

const TITLE_CHARACTERS = 200;
const READ_AT_ONCE = 64;
/** Is raised when the same file gives another row. */
const HEAD_VERSION = 1;

/** The version of the code that makes rows of a program's sessions. */
export function rowReader({ version }: Pick<Agent, 'version'>): string {
  return `${HEAD_VERSION} ${version}`;
}

interface HeadSource {
  readonly agent: Agent;
  readonly source: Source;
  /** The size, times and identity of the file when it was read. */
  readonly file: SourceFile | undefined;
}

/** `isLasting`: whether a later change of the file will show. */
interface ListedHead {
  readonly head: Head | OllmError;
  readonly isLasting: boolean;
}

/**
 * Reads the ends of each file. A title is on one line and without secrets; without one it is the first prompt. A file
 * that cannot be read has an error in place of a head. Those that were not read when `signal` came are left out.
 */
export async function listedHeads<One extends HeadSource>(
  app: App,
  sources: readonly One[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<One, ListedHead>> {
  const startedMs = app.clock.now();
  const heads = new Map<One, ListedHead>();
  for (const [index, one] of sources.entries()) {
    if (index % READ_AT_ONCE === 0) await breathe();
    if (signal?.aborted) break;
    const isLasting = one.file !== undefined && isSettled(one.file, startedMs);
    heads.set(one, { head: await headOrError(app, one), isLasting });
  }
  return heads;
}

async function headOrError(app: App, { agent, source }: HeadSource): Promise<Head | OllmError> {
  try {
    return await listedHead(app, agent, source);
  } catch (error) {
    if (isOllmError(error)) return error;
    throw error;
  }
}

/** Reads the ends of one file. @throws OllmError as `readHead` */
export async function listedHead(app: App, agent: Agent, source: Source): Promise<Head> {
  const head = readHead(agent, source, foreignPorts(app).files);
  const title = head.title ?? head.firstPrompt;
  if (title === undefined) return head;
  const redact = await app.redactor();
  const { firstPrompt: _, ...listed } = head;
  return { ...listed, title: redact(title.replace(/\s+/g, ' ').trim()).text.slice(0, TITLE_CHARACTERS) };
}
