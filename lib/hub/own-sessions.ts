// ollm's own store as one of the places that sessions come from.
import { join } from 'node:path';
import { OWN_AGENT } from '../catalog/catalog.ts';
import type { OpenTextSource, SourceFile, TextSource } from '../catalog/text-source.ts';
import { OllmError } from '../errors/index.ts';
import { FORMAT } from '../journal/format.ts';
import { journalName } from '../journal/paths.ts';
import type { Anchor, JournalFileInfo, JournalStore } from '../journal/types.ts';
import type { FileSystem } from '../platform/files/file-system.ts';
import { isWholeUpTo } from '../session/saved/saved-state.ts';
import { isEncrypted } from '../stores/sealing/session-keys.ts';
import { isThere } from './find-sources.ts';
import type { SessionPlace } from './sources.ts';

interface OwnSessionsOptions {
  readonly store: JournalStore;
  readonly fileSystem: Pick<FileSystem, 'stat'>;
  /** The directory of the journals. */
  readonly directory: string;
  /** Whether they are on servers, so that a journal is not a file. */
  readonly isOnServers?: boolean | undefined;
  /** Whether text of encrypted sessions may be stored in the open. */
  readonly indexEncrypted: boolean;
  /** Whether their key is in a file, so that a person need not be asked for it. */
  readonly hasKeyFile: boolean;
}

export function ownSessions(options: OwnSessionsOptions): SessionPlace {
  const { store, directory } = options;
  return {
    agent: OWN_AGENT,
    directory,
    vanished: 'remove',
    async list() {
      const infos = await store.list();
      // Where the directory is not there, it may be that of a disk that is not mounted.
      const unlisted = isThere(options.fileSystem, directory) ? [] : [directory];
      return { sources: infos.map((info) => sourceOf(info, options)), skipped: [], unlisted };
    },
  };
}

function sourceOf(
  info: JournalFileInfo,
  { store, fileSystem, directory, isOnServers, indexEncrypted, hasKeyFile }: OwnSessionsOptions,
): TextSource {
  const { id } = info;
  const path = isOnServers ? `${directory}/${journalName(id)}` : join(directory, journalName(id));
  return {
    agent: OWN_AGENT,
    directory,
    id,
    path,
    file: fileOf(info),
    version: `${FORMAT}, whole outputs${indexEncrypted ? ', encrypted ones too' : ''}`,
    isThere: () => isOnServers === true || isThere(fileSystem, path),
    async open() {
      if (!indexEncrypted && (await isEncrypted(store, id))) throw encrypted(id, 'is not indexed');
      return openJournal(store, id, hasKeyFile);
    },
  };
}

async function openJournal(store: JournalStore, id: string, hasKeyFile: boolean): Promise<OpenTextSource> {
  const reader = store.openReader(id);
  if (!hasKeyFile && (await reader.sealed()) !== undefined) {
    reader.close();
    throw encrypted(id, 'cannot be indexed without a key file');
  }
  return {
    reader,
    async holds(position) {
      const anchor = position as Anchor;
      if (!(await reader.holds(anchor))) return false;
      // It has changed, and nothing was appended.
      return (await reader.size()) > anchor.offset || (await isWholeUpTo(reader, anchor.offset));
    },
    checkpoint: () => undefined,
    copied: () => ({}),
    programId: () => undefined,
    readBlob: (sha256) => store.readBlob(sha256),
  };
}

function encrypted(id: string, what: string): OllmError {
  return new OllmError('SESSION_ENCRYPTED', `Session ${id} is encrypted and ${what}.`, {
    hint: 'catalog.indexEncrypted: true stores the text of encrypted sessions in the open. docs/hub.md says more.',
    data: { id },
  });
}

function fileOf({ inode, bytes, changedNs }: JournalFileInfo): SourceFile | undefined {
  return inode === undefined || changedNs === undefined ? undefined : { inode, size: bytes, changedNs };
}
