// The journal of one mirrored session, while entries arrive: an import of Claude Code's that grows by the lines which
// the SDK hands over. Its writer is released once nothing has arrived for a moment, so that another process may go on;
// as long as none has, it is continued without being read again.
import { createHash, type Hash } from 'node:crypto';
import { claude } from '../../agents/claude/claude.ts';
import { OllmError } from '../../errors/index.ts';
import { CHANGED, closeInOrder, createdBy, openBehind } from '../../hub/import-session.ts';
import { ImportedJournal, type ImportWork } from '../../hub/imported-journal.ts';
import { givenBack, keptParts } from '../../hub/kept-bytes.ts';
import { translatedRecords } from '../../hub/translated-records.ts';
import type { Anchor, JournalStore } from '../../journal/types.ts';
import { nodeFileSystem } from '../../platform/files/node-file-system.ts';
import { parseObject } from '../../platform/json.ts';
import { Lanes } from '../../platform/lanes.ts';
import { VERSION } from '../../version.ts';
import { type ClaudeSessionKey, isSameKey, type KeyedSource, keyOf } from './claude-key.ts';
import { patiently } from './patiently.ts';

export type Line = Readonly<Record<string, unknown>>;

const RELEASE_MS = 500;

interface OpenMirror {
  readonly journal: ImportedJournal;
  /** Has taken in all kept bytes. */
  readonly hash: Hash;
  readonly uuids: Set<string>;
  /** The end of the journal when this process released it. */
  end?: { readonly anchor: Anchor; readonly epoch: number } | undefined;
}

export class ClaudeMirror {
  readonly #work: ImportWork;
  readonly #key: ClaudeSessionKey;
  #mirror: OpenMirror | undefined;
  readonly #calls = new Lanes(1);
  #release: NodeJS.Timeout | undefined;

  constructor(store: JournalStore, key: ClaudeSessionKey, { id, address, source }: KeyedSource) {
    this.#key = key;
    const files = { fileSystem: nodeFileSystem, uid: undefined };
    this.#work = { store, files, keepsSource: true, keepsOutputs: true, agent: claude as never, source, id, address };
  }

  /** Leaves lines out whose `uuid` is stored. They are on the device when it resolves. */
  append(lines: readonly Line[]): Promise<void> {
    return this.#calls.run(async () => {
      clearTimeout(this.#release);
      try {
        const mirror = await this.#opened(lines);
        const fresh = lines.filter(({ uuid }) => typeof uuid !== 'string' || !mirror.uuids.has(uuid));
        const added = withoutRepeated(fresh);
        if (added.length > 0) await mirror.journal.takeMore(bytesOf(added), mirror.hash);
        await mirror.journal.writer.sync();
        for (const { uuid } of added) if (typeof uuid === 'string') mirror.uuids.add(uuid);
      } catch (error) {
        await this.#abandon();
        throw error;
      }
      this.#release = setTimeout(() => void this.close().catch(() => {}), RELEASE_MS).unref();
    });
  }

  /** Releases the writer. A later append opens it again. */
  close(): Promise<void> {
    return this.#calls.run(async () => {
      clearTimeout(this.#release);
      const mirror = this.#mirror;
      if (mirror === undefined || mirror.end !== undefined) return;
      const { writer } = mirror.journal;
      try {
        await closeInOrder(writer);
        mirror.end = { anchor: writer.head, epoch: writer.report.epoch };
      } finally {
        await writer.close();
      }
    });
  }

  async #opened(lines: readonly Line[]): Promise<OpenMirror> {
    const { store, id } = this.#work;
    if (this.#mirror?.end !== undefined) this.#mirror = await this.#continued(this.#mirror, this.#mirror.end);
    this.#mirror ??= await patiently(async () =>
      (await store.has(id)) ? readMirror(this.#work) : newMirror(this.#work, lines),
    );
    // Made by another process meanwhile, under another key.
    const { created } = this.#mirror.journal;
    if (created !== undefined && !isSameKey(this.#key, keyOf(created.data))) throw takenMeanwhile(id);
    return this.#mirror;
  }

  /** Undefined if another process has gone on. */
  async #continued(before: OpenMirror, end: NonNullable<OpenMirror['end']>): Promise<OpenMirror | undefined> {
    if (!(await this.#work.store.has(this.#work.id))) return undefined;
    try {
      const writer = await patiently(() => openBehind(this.#work, end));
      const { parts, stored, checkpoint } = before.journal;
      return {
        ...before,
        journal: new ImportedJournal(this.#work, writer, { parts, stored }, checkpoint),
        end: undefined,
      };
    } catch (error) {
      if (error === CHANGED) return undefined;
      throw error;
    }
  }

  /** After a failure, everything is read again. */
  async #abandon(): Promise<void> {
    const writer = this.#mirror?.end === undefined ? this.#mirror?.journal.writer : undefined;
    this.#mirror = undefined;
    await writer?.close().catch(() => {});
  }
}

/** Every entry that a session has; undefined if there is none. @throws OllmError SESSION_NOT_FOUND, IO_FAILED */
export async function mirroredLines(store: JournalStore, id: string): Promise<Line[] | undefined> {
  using reader = store.openReader(id);
  const parts = await keptParts(reader);
  if (parts.length === 0) return undefined;
  return linesOf(Buffer.concat(await Array.fromAsync(givenBack(store, parts))));
}

async function newMirror(work: ImportWork, lines: readonly Line[]): Promise<OpenMirror> {
  const writer = await work.store.create(work.id, await createdFor(work, lines));
  const journal = new ImportedJournal(work, writer, { parts: [], stored: [writer.head.seq] });
  return { journal, hash: createHash('sha256'), uuids: new Set() };
}

/** Without a line that begins a conversation, little is known of it. */
async function createdFor({ agent, source, address }: ImportWork, lines: readonly Line[]): Promise<object> {
  for await (const { events } of translatedRecords(agent, source, [bytesOf(lines)], { form: 'file' })) {
    const [first] = events;
    if (first !== undefined) return createdBy(first);
  }
  const cwd = lines.map((line) => line.cwd).find((value) => typeof value === 'string' && value !== '');
  const origin = { agent: source.agent, path: source.path, sessionId: source.id, address };
  return { model: '', provider: '', ollm: VERSION, ...(cwd === undefined ? {} : { cwd }), origin, imported: true };
}

async function readMirror(work: ImportWork): Promise<OpenMirror> {
  const journal = await ImportedJournal.open(work);
  try {
    const hash = createHash('sha256');
    const kept: Buffer[] = [];
    if (journal.parts.length > 0) {
      for await (const bytes of givenBack(work.store, journal.parts)) {
        hash.update(bytes);
        kept.push(bytes);
      }
    }
    // Events of kept lines that a crash left out.
    await journal.catchUp(undefined);
    const uuids = linesOf(Buffer.concat(kept)).flatMap(({ uuid }) => (typeof uuid === 'string' ? [uuid] : []));
    return { journal, hash, uuids: new Set(uuids) };
  } catch (error) {
    await journal.writer.close();
    throw error;
  }
}

/** A batch may hold an entry twice. */
function withoutRepeated(lines: readonly Line[]): readonly Line[] {
  const seen = new Set<string>();
  return lines.filter(({ uuid }) => {
    if (typeof uuid !== 'string') return true;
    const isNew = !seen.has(uuid);
    seen.add(uuid);
    return isNew;
  });
}

function bytesOf(lines: readonly Line[]): Buffer {
  return Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

function linesOf(bytes: Buffer): Line[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .map(parseObject)
    .filter((line) => line !== undefined);
}

function takenMeanwhile(id: string): OllmError {
  return new OllmError('SESSION_EXISTS', `Another process has just made session ${id} for another project.`, {
    hint: 'Append the entries again: they get a session with another id.',
    data: { id },
  });
}
