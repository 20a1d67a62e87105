// The keys of the sessions of a store: the first line of a session says whether it is encrypted, and how its keys are
// found.
import { OllmError } from '../../errors/index.ts';
import { OWN_TYPES } from '../../journal/format.ts';
import type { JournalReader, JournalStore, StoredEvent } from '../../journal/types.ts';
import { isObject } from '../../platform/json.ts';
import { coversLines, type Encryption, type SessionKeys } from './encryption.ts';
import { isOfTheJournal, isSealed } from './sealing-lines.ts';
import type { Keyring } from './unlock.ts';

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

  /** What is asked next reads the first line again. */
  forget(id: string): void {
    this.#written.delete(id);
  }

  /** Asked for if they have to be. A keyring may have forgotten those of a session since it was opened for writing. */
  async of(id: string): Promise<SessionKeys | undefined> {
    return this.#opened(id, await this.#encryptionOf(id));
  }

  /** The same by what the first line says now. */
  async byFirstLine(id: string): Promise<SessionKeys | undefined> {
    return this.#opened(id, await this.#readEncryption(id));
  }

  /** Those that are there already. */
  async known(id: string): Promise<SessionKeys | undefined> {
    const encryption = await this.#encryptionOf(id);
    return encryption && this.#keyring.known(id, encryption);
  }

  /** Those for what is attached to a session: to one that this process writes, nothing is attached in the open. */
  async forBlob(id: string): Promise<SessionKeys | undefined> {
    return this.#written.has(id) ? this.of(id) : this.known(id);
  }

  /** Those of an attachment that is there. */
  ofBlob(blobId: string): SessionKeys | undefined {
    return this.#keyring.ofBlob(blobId);
  }

  /** Keys for a journal that begins with this, and its beginning; no keys if it is not to be encrypted. */
  forNew(id: string, created: object): { readonly keys: SessionKeys | undefined; readonly created: object } {
    const { encryption: from, ...rest } = created as { readonly encryption?: Encryption };
    const keys = from !== undefined || this.#encryptNew ? this.#keyring.create(id, from) : undefined;
    return { keys, created: keys ? { ...rest, encryption: keys.encryption } : rest };
  }

  #opened(id: string, encryption: Encryption | undefined): SessionKeys | undefined {
    return encryption && this.#keyring.keysOf(id, encryption);
  }

  async #encryptionOf(id: string): Promise<Encryption | undefined> {
    return this.#written.has(id) ? this.#written.get(id) : this.#readEncryption(id);
  }

  async #readEncryption(id: string): Promise<Encryption | undefined> {
    if (!(await this.#store.has(id))) return undefined;
    const reader = this.#store.openReader(id);
    try {
      return await encryptionIn(reader);
    } finally {
      reader.close();
    }
  }
}

/** Whether the first line of a session says that it is encrypted. */
export async function isEncrypted(store: Pick<JournalStore, 'openReader'>, id: string): Promise<boolean> {
  const reader = store.openReader(id);
  try {
    return (await reader.first())?.data.encryption !== undefined;
  } finally {
    reader.close();
  }
}

/**
 * Whether a first line says that the session is encrypted as it was before seals covered whole lines: a changed time,
 * turn or id, and a changed note of the journal, are not reported.
 */
export function hasOlderSeals(first: Pick<StoredEvent, 'data'> | undefined): boolean {
  const { encryption } = first?.data ?? {};
  return isObject(encryption) && !coversLines(encryption as unknown as Encryption);
}

/** @throws OllmError KEY_UNUSABLE: the lines that would say it are damaged */
export async function encryptionIn(reader: JournalReader): Promise<Encryption | undefined> {
  const first = await reader.first();
  if (first?.type === OWN_TYPES.created) {
    const { encryption, sealed } = first.data;
    if (isObject(encryption)) return encryption as unknown as Encryption;
    // What is sealed has a key, also where its name was changed.
    if (typeof sealed !== 'string') return undefined;
  }
  let isEncrypted = false;
  for await (const batch of reader.outcomes()) {
    for (const outcome of batch) {
      if (outcome.kind === 'damage') continue;
      const { event } = outcome;
      const { encryption, sealed } = event.data;
      // Later lines have the wrapped key once more.
      const isNote = isOfTheJournal(event.type);
      if ((isNote || typeof sealed === 'string') && isObject(encryption)) return encryption as unknown as Encryption;
      isEncrypted ||= isSealed(event);
      if (!isEncrypted && !isNote) return undefined;
    }
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
