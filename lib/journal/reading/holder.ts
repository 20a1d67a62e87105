// Which process holds a journal: its last opening says so.
import { OllmError } from '../../errors/index.ts';
import type { FileSystem } from '../../platform/files/file-system.ts';
import { openJournalFile } from '../files/journal-file.ts';
import { OWN_TYPES } from '../format.ts';
import type { JournalFile } from '../refusals.ts';
import type { Holder, StoredEvent } from '../types.ts';
import { eventsBackwards } from './scan.ts';

/** What a locked journal says of the process that holds the lock. */
export async function holderAt(fileSystem: FileSystem, file: JournalFile): Promise<Holder> {
  try {
    using handle = openJournalFile(fileSystem, file, 'read');
    for await (const event of eventsBackwards(handle)) if (isOpening(event)) return holderIn(event);
  } catch {
    // A journal that is being made, moved or damaged: it is held all the same.
  }
  return { pid: undefined, host: undefined, command: undefined, since: undefined };
}

function isOpening({ type }: StoredEvent): boolean {
  return type === OWN_TYPES.opened || type === OWN_TYPES.created;
}

function holderIn({ data: { pid, host, command }, ts }: StoredEvent): Holder {
  return {
    pid: typeof pid === 'number' ? pid : undefined,
    host: typeof host === 'string' ? host : undefined,
    command: typeof command === 'string' ? command : undefined,
    since: ts,
  };
}

/** `where`: further facts about the holder, after its description. */
export function lockedError(
  { id, path }: Pick<JournalFile, 'id'> & Partial<JournalFile>,
  holder: Holder,
  { where = '', remedy = 'Close it there and try again.' } = {},
): OllmError {
  return new OllmError('JOURNAL_LOCKED', `Session ${id} is in use by ${describeHolder(holder)}${where}.`, {
    hint: `${remedy} To read it meanwhile: "ollm tail ${id}"`,
    data: { id, path, holder },
  });
}

/** The holder in words: `process 4711 (ollm repl, since 20:49)`. */
function describeHolder({ pid, command, since }: Holder): string {
  if (pid === undefined) return 'another process';
  const details = [command, since === undefined ? undefined : `since ${localTime(since)}`];
  const known = details.filter((detail) => detail !== undefined).join(', ');
  return `process ${pid}${known === '' ? '' : ` (${known})`}`;
}

function localTime(ts: string): string {
  const time = new Date(ts);
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  return `${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}`;
}
