// What `ollm doctor` says of the place where the sessions are: whose it is and who may look into it, what kind of disk
// it is on and how much room is left, which sessions are open, what crashes left behind, and whether anything derived
// knows more than its journal. Reads only, and holds no journal's content.
import { dirname, join } from 'node:path';
import { countOf, formatBytes } from '../../display/quantities.ts';
import { isOllmError, systemErrorCode } from '../../errors/index.ts';
import { isSessionId } from '../../journal/format.ts';
import { JOURNAL_EXTENSION } from '../../journal/paths.ts';
import type { Anchor, JournalReader } from '../../journal/types.ts';
import { cloudServiceOf } from '../../platform/disks/cloud-folder.ts';
import { fileSystemType } from '../../platform/disks/file-system-kind.ts';
import { judgeSpace } from '../../platform/disks/free-space.ts';
import { isMountedReadOnly } from '../../platform/disks/is-mounted-read-only.ts';
import { spaceAt } from '../../platform/disks/space-at.ts';
import type { DirectoryEntry, FileStat } from '../../platform/files/file-system.ts';
import { realPathOf } from '../../platform/files/io.ts';
import { evidenceOfLoss } from '../../session/evidence.ts';
import type { App } from '../app.ts';

export interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly text: string;
  /** What to do, where something is to be done. */
  readonly remedy?: string | undefined;
}

const OPEN_TO_OTHERS = 0o077;
const OWNER_WRITES = 0o300;
const ROOT = 0;
const MAX_NAMES_SHOWN = 3;
const LOCAL_DISK = 'Set services.session.dataDir to a directory on a local disk.';

export async function* checkDataDirectory(app: App): AsyncGenerator<Check, void, void> {
  const directory = checkDirectory(app);
  yield directory.status === 'fail' ? directory : (checkMount(app) ?? directory);
  yield checkSpace(app);
  yield checkFileSystem(app);
  if (directory.status === 'fail' || !statAt(app.fileSystem, app.paths.sessions)) return;
  yield checkFiles(app);
  yield await checkLeftovers(app);
  yield checkSetAside(app);
  yield await checkLocks(app);
  yield await checkEvidence(app);
  yield await checkTrash(app);
}

function checkDirectory({ fileSystem, paths, process }: App): Check {
  const name = 'data directory';
  const path = paths.sessions;
  const stat = statAt(fileSystem, path);
  if (!stat) return checkFutureDirectory(fileSystem, process, path);
  const remedy = `Run "chmod 700 ${path}".`;
  if (stat.kind !== 'directory') {
    const move = 'Move it away, or set services.session.dataDir.';
    return { name, status: 'fail', text: `${path} is not a directory`, remedy: move };
  }
  if (process.uid !== undefined && stat.uid !== process.uid) {
    return { name, status: 'fail', text: `${path} belongs to another user`, remedy: 'Use a directory of your own.' };
  }
  if ((stat.mode & OWNER_WRITES) !== OWNER_WRITES) {
    return { name, status: 'fail', text: `${path} is not writable`, remedy };
  }
  if ((stat.mode & OPEN_TO_OTHERS) !== 0) return { name, status: 'warn', text: `${path} is open to others`, remedy };
  return { name, status: 'ok', text: path };
}

/** The directory that is there, below which the others will be made. */
function checkFutureDirectory(fileSystem: App['fileSystem'], process: App['process'], path: string): Check {
  const name = 'data directory';
  let above = dirname(path);
  while (statAt(fileSystem, above) === undefined && dirname(above) !== above) above = dirname(above);
  const stat = statAt(fileSystem, realPathOf(fileSystem, above) ?? above);
  if (stat?.kind === 'directory' && mayMakeFilesIn(stat, process.uid)) {
    return { name, status: 'ok', text: `${path} will be made with the first session` };
  }
  const problem = stat?.kind === 'directory' ? 'is not writable' : 'is not a directory';
  const remedy = `Make ${above} a directory that you can write to, or set services.session.dataDir.`;
  return { name, status: 'fail', text: `${path} cannot be made: ${above} ${problem}`, remedy };
}

/** Undefined also where the way there leads over something that is not a directory, or must not be looked into. */
function statAt(fileSystem: App['fileSystem'], path: string): FileStat | undefined {
  try {
    return fileSystem.stat(path);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** By the permission bits, without groups: which of them the user is in is not known here. */
function mayMakeFilesIn({ uid: owner, mode }: FileStat, uid: number | undefined): boolean {
  if (uid === undefined || uid === ROOT) return true;
  if (owner === uid) return (mode & OWNER_WRITES) === OWNER_WRITES;
  return [0o030, 0o003].some((bits) => (mode & bits) === bits);
}

/** What lies on a disk that is mounted read-only can be looked at all the same. */
function checkMount({ paths }: App): Check | undefined {
  if (!isMountedReadOnly(paths.sessions)) return undefined;
  const text = `${paths.sessions} is on a disk that is mounted read-only`;
  const remedy = 'Mount it for writing, or set services.session.dataDir. What is there can be read.';
  return { name: 'data directory', status: 'fail', text, remedy };
}

function checkSpace({ fileSystem, paths }: App): Check {
  const name = 'free space';
  const space = spaceAt(fileSystem, paths.sessions);
  if (space === undefined || space.totalBytes === 0) return { name, status: 'ok', text: 'the system does not say' };
  const text = `${formatBytes(space.freeBytes)} of ${formatBytes(space.totalBytes)}`;
  const remedy = 'Free some, or run "ollm prune --older-than 90d --purge".';
  switch (judgeSpace(space)) {
    case 'enough':
      return { name, status: 'ok', text };
    case 'low':
      return { name, status: 'warn', text, remedy };
    case 'too little':
      return { name, status: 'fail', text: `${text}: no turn is begun`, remedy };
  }
}

function checkFileSystem({ fileSystem, paths, config }: App): Check {
  const name = 'file system';
  const type = fileSystemType(spaceAt(fileSystem, paths.sessions)?.type ?? 0);
  const service = cloudServiceOf(paths.sessions);
  switch (type.kind) {
    case 'network': {
      const isAllowed = config.services.session.allowNetworkFileSystem;
      const text = `${type.name}: locks and syncs over a network cannot be relied on`;
      return isAllowed
        ? { name, status: 'warn', text: `${text}; it is written all the same, as the settings say`, remedy: LOCAL_DISK }
        : { name, status: 'fail', text: `${text}, so nothing is written`, remedy: LOCAL_DISK };
    }
    case 'memory': {
      const text = `${type.name}, in memory: sessions do not survive a restart of the machine, whatever is synced`;
      return { name, status: 'warn', text, remedy: LOCAL_DISK };
    }
    case 'program': {
      const text = `${type.name}: whether locks and syncs hold depends on the program behind it`;
      return { name, status: 'warn', text, remedy: LOCAL_DISK };
    }
    case 'local':
      if (service === undefined) return { name, status: 'ok', text: 'local' };
      return {
        name,
        status: 'warn',
        text: `${service} keeps this directory in step with other machines and may replace a journal while it is written`,
        remedy: LOCAL_DISK,
      };
  }
}

/** Journals and what is derived from them: ours, regular, with one name, and nobody else's business. */
function checkFiles({ fileSystem, paths, process }: App): Check {
  const name = 'files';
  const files = entriesOf(fileSystem, paths.sessions).filter(({ name: file }) => /\.(jsonl|json)$/.test(file));
  const odd = files.flatMap(({ name: file }) => {
    const stat = fileSystem.stat(join(paths.sessions, file));
    const what = stat && (oddityOf(stat, process.uid) ?? (isUnseen(file) ? 'is in no list, by its name' : undefined));
    return what === undefined ? [] : [`${file} ${what}`];
  });
  if (odd.length === 0) return { name, status: 'ok', text: `${countOf(files.length, 'file')}, nobody else's business` };
  const remedy = `Run "chmod 600" or "chown" on files that are open to or of others in ${paths.sessions}; move away what is no file; give a journal a name of small letters, digits and hyphens.`;
  return { name, status: 'warn', text: shown(odd), remedy };
}

/** A journal that somebody put here under a name that no session can have: nothing else here would ever tell of it. */
function isUnseen(file: string): boolean {
  return file.endsWith(JOURNAL_EXTENSION) && !isSessionId(file.slice(0, -JOURNAL_EXTENSION.length));
}

function oddityOf({ kind, links, mode, uid }: FileStat, ours: number | undefined): string | undefined {
  if (kind !== 'file') return 'is not a regular file';
  if (links > 1) return `has ${links} names`;
  if (ours !== undefined && uid !== ours) return 'belongs to another user';
  if (ours !== undefined && (mode & OPEN_TO_OTHERS) !== 0) return 'is open to others';
  return undefined;
}

/** What a crash left half done. The next writing sweeps most of it; here it is only told. */
async function checkLeftovers({ fileSystem, paths, store }: App): Promise<Check> {
  const name = 'leftovers';
  const { sessions } = paths;
  const below = (folder: string) =>
    entriesOf(fileSystem, join(sessions, folder)).map((entry) => ({ ...entry, name: `${folder}/${entry.name}` }));
  const halfWritten = [
    ...entriesOf(fileSystem, sessions),
    ...below('archive'),
    ...below('quarantine'),
    ...below('blobs'),
    ...below('trash'),
  ].filter(({ name: file }) => /\.(tmp|repair|repair\.lock)$|\/\.purge-/.test(file));
  const isHeld = async (id: string) => (await store.holder(id)) !== undefined;
  const orphans: DirectoryEntry[] = [];
  for (const entry of entriesOf(fileSystem, sessions)) {
    const id = entry.name.endsWith('.lock') ? entry.name.slice(0, -'.lock'.length) : undefined;
    if (id === undefined || !isSessionId(id) || fileSystem.stat(join(sessions, id + JOURNAL_EXTENSION))) continue;
    const isEmpty = fileSystem.stat(join(sessions, entry.name))?.size === 0;
    if (isEmpty && !(await isHeld(id))) orphans.push(entry);
  }
  const empty: string[] = [];
  for (const { id, bytes } of await store.list()) {
    if (bytes === 0 && !(await isHeld(id))) empty.push(`${id}${JOURNAL_EXTENSION}`);
  }
  const left = [...[...halfWritten, ...orphans].map(({ name: file }) => file), ...empty];
  if (left.length === 0) return { name, status: 'ok', text: 'none' };
  const remedy = `Nothing of them belongs to a session that is kept: with no ollm running, remove them from ${sessions}.`;
  return { name, status: 'warn', text: `${countOf(left.length, 'file')} of interrupted work: ${shown(left)}`, remedy };
}

/** Evidence that recovery kept: nothing to be removed unseen. */
function checkSetAside({ fileSystem, paths }: App): Check {
  const name = 'set aside';
  const suspects = entriesOf(fileSystem, paths.sessions).filter(({ name: file }) => file.endsWith('.suspect'));
  const quarantined = entriesOf(fileSystem, join(paths.sessions, 'quarantine')).filter(({ name: file }) =>
    file.endsWith('.bin'),
  );
  const kept = [
    ...suspects.map(({ name: file }) => file),
    ...quarantined.map(({ name: file }) => `quarantine/${file}`),
  ];
  if (kept.length === 0) return { name, status: 'ok', text: 'nothing' };
  if (suspects.length === 0) {
    const text = `${countOf(kept.length, 'torn end')} of writes that were never acknowledged: ${shown(kept)}`;
    return { name, status: 'ok', text };
  }
  const remedy = 'Look for a backup of those journals; remove the files when you need them no more.';
  return {
    name,
    status: 'warn',
    text: `${countOf(kept.length, 'file')} that knew more than a journal: ${shown(kept)}`,
    remedy,
  };
}

async function checkLocks({ store }: App): Promise<Check> {
  const name = 'open sessions';
  const held: string[] = [];
  for (const { id } of await store.list()) {
    const holder = await store.holder(id);
    if (holder) held.push(`${id} by process ${holder.pid ?? 'unknown'}`);
  }
  return { name, status: 'ok', text: held.length === 0 ? 'none' : held.join(', ') };
}

/** A snapshot or state file that knows more than its journal says that acknowledged events were lost. */
async function checkEvidence({ store }: App): Promise<Check> {
  const name = 'derived files';
  const ahead: string[] = [];
  for (const { id } of await store.list()) if (await isEvidence(store, id)) ahead.push(id);
  if (ahead.length === 0) return { name, status: 'ok', text: 'none knows more than its journal' };
  return {
    name,
    status: 'fail',
    text: `ahead of their journals, which have lost events: ${shown(ahead)}`,
    remedy: `Run "ollm verify ${ahead[0]}" and look for a copy of the journal in a backup.`,
  };
}

async function isEvidence(store: App['store'], id: string): Promise<boolean> {
  try {
    const reader = store.openReader(id);
    try {
      const last = await lastAnchor((await reader.sealed()) ?? reader);
      return (await evidenceOfLoss(store, id, last)).length > 0;
    } finally {
      reader.close();
    }
  } catch (error) {
    // What cannot be read at all is told by the check of the files, and by "ollm verify".
    if (isOllmError(error)) return false;
    throw error;
  }
}

async function lastAnchor(reader: JournalReader): Promise<Anchor | undefined> {
  for await (const batch of reader.backwards()) {
    for (const outcome of batch) if (outcome.kind === 'event') return outcome.event.position;
  }
  return undefined;
}

async function checkTrash({ store, paths }: App): Promise<Check> {
  const name = 'trash';
  try {
    const trash = await store.listTrash();
    const bytes = trash.reduce((sum, entry) => sum + entry.bytes, 0);
    const text = trash.length === 0 ? 'empty' : `${countOf(trash.length, 'session')}, ${formatBytes(bytes)}`;
    return { name, status: 'ok', text };
  } catch (error) {
    if (!isOllmError(error)) throw error;
    return { name, status: 'fail', text: error.message, remedy: error.hint ?? `Look at ${paths.sessions}/trash.` };
  }
}

function entriesOf(fileSystem: App['fileSystem'], path: string): DirectoryEntry[] {
  try {
    return fileSystem.readDirectory(path);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return [];
  }
}

function shown(names: readonly string[]): string {
  const first = names.slice(0, MAX_NAMES_SHOWN).join(', ');
  return names.length > MAX_NAMES_SHOWN ? `${first}, … (${names.length} in all)` : first;
}
