// A store whose encrypted sessions read and write like any other: bytes to the disk are sealed, bytes from it are
// opened. The first line of a session tells whether it is encrypted; other sessions pass through unchanged. A key is
// asked for only when content is needed: listing, following, verifying, repairing and deleting do without.
import { isOllmError } from '../../errors/index.ts';
import { firstEvent } from '../../journal/reading/outcomes.ts';
import type {
  Batches,
  Damage,
  JournalReader,
  JournalStore,
  JournalWriter,
  JsonObject,
  StoredEvent,
  TakingMethod,
} from '../../journal/types.ts';
import { forwardingWriter } from '../forwarding-writer.ts';
import type { Encryption, SessionKeys } from './encryption.ts';
import { sealedContent } from './sealing-content.ts';
import { LineOpener, sealerOf, withData } from './sealing-lines.ts';
import { copiesIn, isFilled, KeysOfSessions, knownOf } from './session-keys.ts';
import type { Keyring } from './unlock.ts';

interface SealingOptions {
  readonly keyring: Keyring;
  /** Whether new sessions are encrypted. Those that continue from an encrypted one are in any case. */
  readonly encryptNew: boolean;
}

export function sealingStore(store: JournalStore, { keyring, encryptNew }: SealingOptions): JournalStore {
  const keysOf = new KeysOfSessions(store, keyring, encryptNew);
  const journals = sealedJournals(store, keysOf);
  const { readDocument, readBlob, ...content } = sealedContent(store, keysOf);
  // What takes in new content is named, so that none is passed on unsealed.
  const taking: Pick<JournalStore, TakingMethod> = { ...journals, ...content };
  return {
    ...store,
    ...taking,
    readDocument,
    readBlob,
    openReader: (id, archive) => openingReader(store.openReader(id, archive), keyring),
  };
}

function sealedJournals(
  store: JournalStore,
  keysOf: KeysOfSessions,
): Pick<JournalStore, 'create' | 'createFilled' | 'openWriter' | 'replace'> {
  return {
    async create(id, data, options) {
      const { keys, created } = keysOf.forNew(id, data);
      const writer = await store.create(id, created, { ...options, seal: keys && sealerOf(id, keys) });
      keysOf.writes(id, keys);
      return keys ? sealingWriter(writer, keys) : writer;
    },
    async createFilled(id, { created: data, fill }) {
      const { keys, created } = keysOf.forNew(id, data);
      return store.createFilled(id, {
        created,
        seal: keys && sealerOf(id, keys),
        async fill(writer) {
          // Attachments stored meanwhile are sealed with the same keys.
          keysOf.writes(id, keys);
          try {
            await fill(keys ? sealingWriter(writer, keys) : writer);
          } finally {
            keysOf.forget(id);
          }
        },
      });
    },
    async openWriter(id, options) {
      const keys = await keysOf.byFirstLine(id);
      if (!keys) {
        const writer = await store.openWriter(id, options);
        keysOf.writes(id, keys);
        return writer;
      }
      const opener = new LineOpener(id, keys);
      const damage: Damage[] = [];
      const onEvent = (event: StoredEvent) => {
        for (const opened of opener.open({ kind: 'event', event })) {
          if (opened.kind === 'event') options?.onEvent?.(opened.event);
          else damage.push(opened.damage);
        }
      };
      const writer = await store.openWriter(id, { ...options, onEvent, seal: sealerOf(id, keys) });
      keysOf.writes(id, keys);
      return sealingWriter(writer, keys, damage);
    },
    async replace(id, { suffix, created, fill, supersedes }) {
      let keys: SessionKeys | undefined;
      const archive = await store.replace(id, {
        suffix,
        supersedes,
        async created(archive) {
          const begun = keysOf.forNew(id, await created(archive));
          keys = begun.keys;
          return begun.created;
        },
        fill: (writer) => fill(keys ? sealingWriter(writer, keys) : writer),
        get seal() {
          return keys && sealerOf(id, keys);
        },
      });
      keysOf.forget(id);
      return archive;
    },
  };
}

/** A store for a single session: attachments belong to it. */
export function storeOfSession(store: JournalStore, id: string): JournalStore {
  return { ...store, putBlob: (bytes, sessionId = id) => store.putBlob(bytes, sessionId) };
}

function openingReader(reader: JournalReader, keyring: Keyring): JournalReader {
  const { id } = reader;
  const openerFor = async (direction?: { readonly forwards: boolean }): Promise<LineOpener | undefined> => {
    const copies = await copiesIn(reader);
    return isFilled(copies) ? new LineOpener(id, keyring.keysOf(id, copies), direction) : undefined;
  };
  return {
    ...reader,
    async sealed() {
      const copies = (await reader.size()) > 0 ? await copiesIn(reader) : [];
      return isFilled(copies) && knownOf(keyring, id, copies) === undefined ? reader : undefined;
    },
    async first() {
      const line = await reader.first();
      const copies = line ? await copiesIn(reader) : await lastingCopies(reader);
      if (!isFilled(copies)) return line;
      const keys = knownOf(keyring, id, copies);
      const encryption = keys?.encryption ?? copies[0];
      const opened = line && keys ? sealerOf(id, keys).open(line) : line;
      // Where that line is damaged, the next one says that the session is encrypted, and nothing else.
      const first = opened ?? line ?? (await firstEvent(reader.outcomes()));
      return first && withData(first, () => ({ ...opened?.data, encryption: encryption as unknown as JsonObject }));
    },
    outcomes: (options) => opened(reader.outcomes(options), openerFor),
    backwards: (options) => opened(reader.backwards(options), () => openerFor({ forwards: false })),
    // A follower may be there before the first line.
    follow: (options) => opened(reader.follow(options), openerFor),
  };
}

/** What later lines say, where the first one is damaged. */
async function lastingCopies(reader: JournalReader): Promise<readonly Encryption[]> {
  try {
    return (await reader.size()) > 0 ? await copiesIn(reader) : [];
  } catch (error) {
    if (isOllmError(error, 'KEY_UNUSABLE')) return [];
    throw error;
  }
}

/** Asks for the opener once there is something to open. */
async function* opened(batches: Batches, openerFor: () => Promise<LineOpener | undefined>): Batches {
  let opener: LineOpener | undefined;
  let isFirst = true;
  for await (const batch of batches) {
    if (isFirst) opener = await openerFor();
    isFirst = false;
    yield opener === undefined ? batch : batch.flatMap((outcome) => opener!.open(outcome));
  }
}

function sealingWriter(writer: JournalWriter, keys: SessionKeys, damage: readonly Damage[] = []): JournalWriter {
  return forwardingWriter(writer, {
    report: () =>
      damage.length === 0 ? writer.report : { ...writer.report, damage: [...writer.report.damage, ...damage] },
    subscribe: (listener) =>
      writer.subscribe((events) => {
        const opener = new LineOpener(writer.id, keys);
        const seen = events.flatMap((event) => opener.open({ kind: 'event', event }));
        listener(seen.flatMap((outcome) => (outcome.kind === 'event' ? [outcome.event] : [])));
      }),
  });
}
