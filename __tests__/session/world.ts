// A store in memory with a clock that is moved by hand, and what every test of sessions does with it.
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { openFileStore } from '../../lib/file-store/file-store.ts';
import type { JournalStore, StoredEvent } from '../../lib/journal/types.ts';
import { readFile } from '../../lib/platform/files/io.ts';
import { countingIds, manualClock, memoryFileSystem, silentLog, thisProcess } from '../../lib/platform/index.ts';
import { type CreateRequest, createSession } from '../../lib/session/create.ts';
import { openSession } from '../../lib/session/open.ts';
import { encodeState, readState, type SavedState } from '../../lib/session/saved/state-file.ts';
import type { Session } from '../../lib/session/session.ts';

export const OPTIONS = { log: silentLog };

export function memoryWorld() {
  const clock = manualClock();
  const fileSystem = memoryFileSystem({ clock });
  const ports = { fileSystem, clock, ids: countingIds(), process: thisProcess('test'), log: silentLog };
  const store = openFileStore(ports, { directory: '/sessions' });
  return {
    store,
    clock,
    /** Changes a text of the journal to another of its length, so that its line is damaged. */
    bend(id: string, from: string, to: string) {
      const path = `/sessions/${id}.jsonl`;
      const text = Buffer.from(readFile(fileSystem, path)).toString('latin1');
      fileSystem.unlink(path);
      const handle = fileSystem.open(path, 'create');
      handle.write(Buffer.from(text.replace(from, to), 'latin1'));
      handle.close();
    },
    /** A journal of another id that ends after `end` bytes of this one, as after a kill. */
    killed(id: string, end: number, as: string) {
      const bytes = readFile(fileSystem, `/sessions/${id}.jsonl`).slice(0, end);
      const handle = fileSystem.open(`/sessions/${as}.jsonl`, 'create');
      handle.write(bytes);
      handle.close();
    },
    create: (id = 'notes', request: Partial<CreateRequest> = {}) =>
      createSession(store, { id, created: { provider: 'test', model: 'm-1', ollm: '0.0.0' }, ...request }, OPTIONS),
    open: (id = 'notes') => openSession(store, id, OPTIONS),
  };
}

export function said(role: 'system' | 'user' | 'assistant', text: string, turn?: number): NewOllmEvent {
  return {
    type: 'message.added',
    ...(turn === undefined ? {} : { turn }),
    data: {
      role,
      parts: [{ type: 'text', text }],
      tokens: { count: Math.ceil(text.length / 4), method: 'counted' },
      trusted: role !== 'assistant',
    },
  };
}

/** A whole turn, as it is stored. */
export function turnEvents(turn: number, question: string, answer: string): NewOllmEvent[] {
  return [
    { type: 'turn.started', turn, data: { input: question } },
    said('user', question, turn),
    said('assistant', answer, turn),
    { type: 'turn.ended', turn, data: { status: 'completed', steps: 1, durationMs: 1 } },
  ];
}

export async function eventsOf(store: JournalStore, id: string): Promise<StoredEvent[]> {
  const reader = store.openReader(id);
  try {
    return [...(await Array.fromAsync(reader.outcomes())).flat()].flatMap((outcome) =>
      outcome.kind === 'event' ? [outcome.event] : [],
    );
  } finally {
    reader.close();
  }
}

export async function typesOf(store: JournalStore, id: string): Promise<string[]> {
  return (await eventsOf(store, id)).map(({ type }) => type);
}

/** The messages that a model would be sent: role and text, without their positions. */
export function viewTexts({ states }: Pick<Session, 'states'>): string[] {
  const { entries, branches, keptFrom } = states.view.timeline;
  const isLive = (seq: number): boolean =>
    seq >= keptFrom && (seq >= branches.from || branches.stretches.some(({ from, to }) => from <= seq && seq <= to));
  return entries.flatMap((item) => {
    if (!item.pinned && !isLive(item.seq)) return [];
    if (item.kind !== 'message') return [`${item.kind}`];
    return [`${item.role}: ${item.parts.map((part) => (part.type === 'text' ? part.text : part.type)).join('')}`];
  });
}

/** Replaces the state file of “notes” by one with something in it changed, whole and sealed. */
export async function changeState(store: JournalStore, how: (saved: SavedState) => SavedState): Promise<void> {
  const saved = await readState(store, 'notes');
  if (saved === undefined) throw new Error('There is no state file to change.');
  await store.writeDocument('notes', 'state', [encodeState(how(saved))]);
}
