// The store of one run of the program, in its layers: a directory, memory or servers; what leaves secrets out; what
// seals the rest; and sessions of the older form over all of it.
import type { ResolvedConfig } from '../../config/types.ts';
import type { JournalPorts } from '../../journal/files/store-context.ts';
import type { JournalStore } from '../../journal/types.ts';
import { keptFromGit } from '../../stores/kept-from-git.ts';
import { openLocalStore } from '../../stores/local-disk-only.ts';
import { olderForms } from '../../stores/older-forms.ts';
import { redactingStore } from '../../stores/redacting-store.ts';
import { sealingStore } from '../../stores/sealing/sealing-store.ts';
import { type AskPassphrase, createKeyring, type PassphraseCost } from '../../stores/sealing/unlock.ts';
import { askOnTerminal } from '../../stores/sealing/unlock-terminal.ts';
import type { App, AppPaths, Redact, StorageMode } from '../app.ts';

interface StoresOptions {
  readonly config: ResolvedConfig;
  readonly mode: StorageMode;
  readonly paths: AppPaths;
  readonly redact: Redact;
  readonly parts: {
    readonly store?: JournalStore | undefined;
    readonly shared?: App | undefined;
    readonly askPassphrase?: AskPassphrase | undefined;
    readonly passphraseCost?: PassphraseCost | undefined;
  };
}

type Stores = Pick<App, 'store' | 'keyring' | 'servers' | 'olderForms' | 'openMemoryStore' | 'openDiskStore'>;

export async function openStores(
  ports: JournalPorts,
  { config, mode, paths, redact, parts }: StoresOptions,
): Promise<Stores> {
  const { shared } = parts;
  const { fileSystem, process, log } = ports;
  const guarded = (each: JournalStore) => redactingStore(each, (text) => redact(text).text);
  const openMemoryStore = async (): Promise<JournalStore> => {
    const { openMemoryStore: open } = await import('../../file-store/memory-store.ts');
    return guarded(open(ports));
  };
  const { allowNetworkFileSystem } = config.services.session;
  const { keyFile, encryptAtRest } = config.retention;
  const { askPassphrase: ask = askOnTerminal, passphraseCost: cost } = parts;
  const keyring = createKeyring({ fileSystem, keyFile, uid: process.uid, ask, cost });
  // Secrets are taken out first, and the rest is sealed.
  const kept = (each: JournalStore) => guarded(sealingStore(each, { keyring, encryptNew: encryptAtRest }));
  const isOnServers = config.store !== undefined && mode === 'global' && !parts.store;
  const servers = isOnServers
    ? (await import('./nats-store.ts')).openServerStore(config.store!, {
        ...ports,
        home: paths.home,
        settings: config.nats,
      })
    : undefined;
  const openDiskStore = (): JournalStore => {
    if (servers) return kept(servers);
    const files = openLocalStore(ports, { directory: paths.sessions, allowNetworkFileSystem });
    const store = kept(mode === 'session' ? keptFromGit(files, { directory: paths.sessions, fileSystem, log }) : files);
    return {
      ...store,
      async trash(id) {
        const { noteDeletion } = await import('../journals/note-deletion.ts');
        await noteDeletion(store, id, { ...ports, paths, config });
        return store.trash(id);
      },
    };
  };
  const older = shared?.olderForms ?? olderForms();
  const store =
    shared?.store ??
    older.over(parts.store ? kept(parts.store) : mode === 'ephemeral' ? await openMemoryStore() : openDiskStore());

  return { store, keyring: shared?.keyring ?? keyring, servers, olderForms: older, openMemoryStore, openDiskStore };
}
