// The keys of the sessions of a store: the first line of a session says whether it is encrypted, and how its keys are
// found.
import { isDeepStrictEqual } from 'node:util';
import { OllmError } from '../../errors/index.ts';
import { OWN_TYPES } from '../../journal/format.ts';
import { eachEvent, everyOutcome } from '../../journal/reading/outcomes.ts';
import type { JournalReader, JournalStore, StoredEvent } from '../../journal/types.ts';
import { isObject } from '../../platform/json.ts';
import { coversLines, type Encryption, type SessionKeys } from './encryption.ts';
import { isOfTheJournal, isSealed } from './sealing-lines.ts';
import type { EncryptionCopies, Keyring } from './unlock.ts';

export class KeysOfSessions {
  readonly #store: JournalStore;
  readonly #keyring: Keyring;
  readonly #encryptNew: boolean;
  /** Sessions that this process writes, with their encryption if they have one. */
  readonly #written = new Map<string, Encryption | undefined>();

  constructor(store: JournalStore, keyring: Keyring, encryptNew: boolean) {
    this.#store = store;
    this.#keyring = keyring;
    this.#encryptNew = encryptNew;
  }

  /** Says that the session is written with these keys, or with none. */
  writes(id: string, keys: SessionKeys | undefined): void {
    this.#written.set(id, keys?.encryption);
  }

  /** Forgets the keys: the next use reads the first line again. */
  forget(id: string): void {
    this.#written.delete(id);
  }

  /** Asked for if they have to be. A keyring may have forgotten those of a session since it was opened for writing. */
  async of(id: string): Promise<SessionKeys | undefined> {
    return this.#opened(id, await this.#copiesOf(id));
  }

  /** The keys by the current content of the journal. */
  async byFirstLine(id: string): Promise<SessionKeys | undefined> {
    return this.#opened(id, await this.#readCopies(id));
  }

  /** The keys that are open already. */
  async known(id: string): Promise<SessionKeys | undefined> {
    return knownOf(this.#keyring, id, await this.#copiesOf(id));
  }

  /** The keys for an attachment of a session: a session that this process writes gets no unsealed attachments. */
  async forBlob(id: string): Promise<SessionKeys | undefined> {
    return this.#written.has(id) ? this.of(id) : this.known(id);
  }

  /** The keys of an existing attachment. */
  ofBlob(blobId: string): SessionKeys | undefined {
    return this.#keyring.ofBlob(blobId);
  }

  /** Keys for a journal that begins with this, and its beginning; no keys if it is not to be encrypted. */
  forNew(id: string, created: object): { readonly keys: SessionKeys | undefined; readonly created: object } {
    const { encryption: from, ...rest } = created as { readonly encryption?: Encryption };
    const keys = from !== undefined || this.#encryptNew ? this.#keyring.create(id, from) : undefined;
    return { keys, created: keys ? { ...rest, encryption: keys.encryption } : rest };
  }

  #opened(id: string, copies: readonly Encryption[]): SessionKeys | undefined {
    return isFilled(copies) ? this.#keyring.keysOf(id, copies) : undefined;
  }

  async #copiesOf(id: string): Promise<readonly Encryption[]> {
    if (!this.#written.has(id)) return this.#readCopies(id);
    const encryption = this.#written.get(id);
    return encryption === undefined ? [] : [encryption];
  }

  async #readCopies(id: string): Promise<readonly Encryption[]> {
    if (!(await this.#store.has(id))) return [];
    using reader = this.#store.openReader(id);
    return await copiesIn(reader);
  }
}

export function knownOf(keyring: Keyring, id: string, copies: readonly Encryption[]): SessionKeys | undefined {
  for (const copy of copies) {
    const keys = keyring.known(id, copy);
    if (keys !== undefined) return keys;
  }
  return undefined;
}

export function isFilled(copies: readonly Encryption[]): copies is EncryptionCopies {
  return copies.length > 0;
}

/** Whether the first line of a session says that it is encrypted. */
export async function isEncrypted(store: Pick<JournalStore, 'openReader'>, id: string): Promise<boolean> {
  using reader = store.openReader(id);
  return (await reader.first())?.data.encryption !== undefined;
}

/**
 * Whether a first line says that the session is encrypted as it was before seals covered whole lines: a changed time,
 * turn or id, and a changed note of the journal, are not reported.
 */
export function hasOlderSeals(first: Pick<StoredEvent, 'data'> | undefined): boolean {
  const { encryption } = first?.data ?? {};
  return isObject(encryption) && !coversLines(encryption as unknown as Encryption);
}

/** The second copy follows the first line, or is in the line of the next opening. */
const LINES_WITH_COPY = 64;

/**
 * What a journal says of its encryption: the first line that says so, and the next one if it says something else, which
 * only a change of one of them explains. The key decides which one holds. None where the journal is not encrypted.
 * @throws OllmError KEY_UNUSABLE: the lines that would say it are damaged
 */
export async function copiesIn(reader: JournalReader): Promise<readonly Encryption[]> {
  const encryption = await encryptionIn(reader);
  if (encryption === undefined) return [];
  let lines = 0;
  let copy = encryption;
  await everyOutcome(reader.outcomes(), (outcome) => {
    lines += 1;
    if (lines > LINES_WITH_COPY) return false;
    if (outcome.kind === 'damage') return true;
    const { type, seq, data } = outcome.event;
    const mayHold = (isOfTheJournal(type) || typeof data.sealed === 'string') && seq > 0;
    if (!mayHold || !isObject(data.encryption)) return true;
    copy = data.encryption as unknown as Encryption;
    return false;
  });
  return isDeepStrictEqual(copy, encryption) ? [encryption] : [encryption, copy];
}

/** @throws OllmError KEY_UNUSABLE: the lines that would say it are damaged */
async function encryptionIn(reader: JournalReader): Promise<Encryption | undefined> {
  const first = await reader.first();
  if (first?.type === OWN_TYPES.created) {
    const { encryption, sealed } = first.data;
    if (isObject(encryption)) return encryption as unknown as Encryption;
    // Sealed data has a key, even if its name was changed.
    if (typeof sealed !== 'string') return undefined;
  }
  let isEncrypted = false;
  for await (const event of eachEvent(reader.outcomes())) {
    const { encryption, sealed } = event.data;
    // Later lines have the wrapped key once more.
    const isNote = isOfTheJournal(event.type);
    if ((isNote || typeof sealed === 'string') && isObject(encryption)) return encryption as unknown as Encryption;
    isEncrypted ||= isSealed(event);
    if (!isEncrypted && !isNote) return undefined;
  }
  if (isEncrypted) throw lostKey(reader);
  return undefined;
}

function lostKey({ id, path }: JournalReader): OllmError {
  return new OllmError(
    'KEY_UNUSABLE',
    `Session ${id} is encrypted, and its lines that hold the wrapped key are damaged.`,
    {
      hint: 'Its content cannot be opened without one of them. Bring the journal back from a backup.',
      data: { id, path },
    },
  );
}
