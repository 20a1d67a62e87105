// What a reference of the user's may turn out to be.
import type { Source } from '../../agents/agent.ts';
import type { FidelityReport } from '../../agents/fidelity.ts';
import { printableLine } from '../../display/printable.ts';
import { OllmError } from '../../errors/index.ts';
import type { EventReader, JournalReader } from '../../journal/types.ts';

interface Found<Reader extends EventReader> {
  /** For a session of ollm its id; for one of another program its address. */
  readonly id: string;
  /** If the reference names a message: the agent's own id of its record, or the number of its event. */
  readonly key?: string | undefined;
  /** Opens it for reading; close the reader afterwards. */
  open(): Promise<Reader>;
  /** What `work` makes of it; it is closed afterwards. @throws as `open` */
  read<Result>(work: (reader: Reader) => Promise<Result>): Promise<Result>;
}

/** A session of ollm: one that has a journal. */
export interface FoundSession extends Found<JournalReader> {
  readonly kind: 'own';
  /** The name under archive/, where it is an earlier journal of the session. */
  readonly archive?: string | undefined;
  /** @throws OllmError JOURNAL_EMPTY, JOURNAL_NOT_A_FILE, JOURNAL_UNREADABLE */
  open(): Promise<JournalReader>;
}

/** A session of another program, where that keeps it. */
export interface ForeignSession extends Found<EventReader> {
  readonly kind: 'foreign';
  readonly source: Source;
  /** The agent, as its maker writes it. */
  readonly agentTitle: string;
  /** Id of the journal that it was imported into, if it was. */
  readonly importId: string | undefined;
  /** How much of the source the events say: reads all of it. */
  fidelity(options?: { readonly signal?: AbortSignal | undefined }): Promise<FidelityReport>;
  /** @throws OllmError SESSION_NOT_FOUND, IO_FAILED: here, or at the first use of the reader */
  open(): Promise<EventReader>;
}

export type FoundConversation = FoundSession | ForeignSession;

/** @throws OllmError USAGE: a message is named. `isWhole`: a clause, such as “A session is deleted as a whole” */
export function requireWhole({ key }: Pick<FoundConversation, 'key'>, isWhole: string): void {
  if (key === undefined) return;
  throw new OllmError('USAGE', `${isWhole}, and not one message of it.`, { hint: 'Leave out what is behind #.' });
}

const MAX_CANDIDATES = 10;
const TITLE_CHARACTERS = 60;

/** What opens and reads, as every found session has it. */
export function opening<Reader extends EventReader>(open: () => Promise<Reader>): Pick<Found<Reader>, 'open' | 'read'> {
  return {
    open,
    async read(work) {
      using reader = await open();
      return await work(reader);
    },
  };
}

export interface Candidates {
  /** The words between their number and the typed text: `sessions begin with`. */
  readonly relation: string;
  /** What these are called, of those that have a title. Asked for where there are several. */
  titlesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string | undefined>>;
}

/** @throws OllmError SESSION_AMBIGUOUS if there are several */
export async function onlyOne(
  text: string,
  ids: readonly string[],
  { relation, titlesOf }: Candidates,
): Promise<string> {
  const [first] = ids;
  if (ids.length === 1 && first !== undefined) return first;
  const shown = ids.slice(0, MAX_CANDIDATES);
  const titles = await titlesOf(shown);
  const width = Math.max(...shown.map((id) => id.length));
  const lines = shown.map((id) => {
    const title = printableLine(titles.get(id) ?? '');
    const shown = title.length > TITLE_CHARACTERS ? `${title.slice(0, TITLE_CHARACTERS).toWellFormed()}…` : title;
    return `  ${id.padEnd(width)}  ${shown}`.trimEnd();
  });
  if (ids.length > shown.length) lines.push(`  and ${ids.length - shown.length} more`);
  const message = [`${ids.length} ${relation} ${JSON.stringify(text)}:`, ...lines].join('\n');
  throw new OllmError('SESSION_AMBIGUOUS', message, {
    hint: 'Give more of the id.',
    data: { reference: text, candidates: ids },
  });
}
