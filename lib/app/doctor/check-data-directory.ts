// The checks of `ollm doctor` on the directory of the sessions: its owner and its permissions, its disk and the room
// left on it, open sessions, leftovers of crashes, and derived files that know more than their journal. Reads only, and
// keeps no content of a journal.
import { dirname, join } from 'node:path';
import { countOf, formatBytes } from '../../display/quantities.ts';
import { isOllmError, isSystemError, unless } from '../../errors/index.ts';
import { isSessionId } from '../../journal/format.ts';
import { JOURNAL_EXTENSION } from '../../journal/paths.ts';
import { firstEvent } from '../../journal/reading/outcomes.ts';
import type { Anchor, JournalReader } from '../../journal/types.ts';
import { cloudServiceOf } from '../../platform/disks/cloud-folder.ts';
import { fileSystemType } from '../../platform/disks/file-system-kind.ts';
import { judgeSpace } from '../../platform/disks/free-space.ts';
import { isMountedReadOnly } from '../../platform/disks/is-mounted-read-only.ts';
import { spaceAt } from '../../platform/disks/space-at.ts';
import type { FileStat } from '../../platform/files/file-system.ts';
import { namesIn, realPathOf } from '../../platform/files/io.ts';
import { evidenceOfLoss } from '../../session/saved/evidence.ts';
import { hasOlderSeals } from '../../stores/sealing/session-keys.ts';
import { settingsCopies, settingsCopiesOf } from '../agent-config/change-settings-file.ts';
import type { App } from '../app.ts';
import { readJournal } from '../journals/read-journal.ts';
import { type Check, type DoctorFinding, fail, fault, ok, warn } from './check.ts';

const OPEN_TO_OTHERS = 0o077;
const OWNER_WRITES = 0o300;
const ROOT = 0;
const MAX_NAMES_SHOWN = 3;
const LOCAL_DISK = 'Set services.session.dataDir to a directory on a local disk.';

/** Checks of an existing directory. */
const CONTENT_CHECKS: readonly (readonly [
  name: string,
  check: (app: App) => DoctorFinding | Promise<DoctorFinding>,
])[] = [
  ['files', checkFiles],
  ['leftovers', checkLeftovers],
  ['set aside', checkSetAside],
  ['open sessions', checkLocks],
  ['derived files', checkEvidence],
  ['seals', checkSeals],
  ['trash', checkTrash],
];

export async function* checkDataDirectory(app: App): AsyncGenerator<Check, void, void> {
  const directory = checkDirectory(app);
  yield { name: 'data directory', ...(directory.status === 'fail' ? directory : (checkMount(app) ?? directory)) };
  yield { name: 'free space', ...checkSpace(app) };
  yield { name: 'file system', ...checkFileSystem(app) };
  yield { name: 'kept settings', ...checkSettingsCopies(app) };
  if (directory.status === 'fail' || !statAt(app.fileSystem, app.paths.sessions)) return;
  for (const [name, check] of CONTENT_CHECKS) yield { name, ...(await check(app)) };
}

function checkDirectory({ fileSystem, paths, process }: App): DoctorFinding {
  const path = paths.sessions;
  const stat = statAt(fileSystem, path);
  if (!stat) return checkFutureDirectory(fileSystem, process, path);
  const chmod = `Run "chmod 700 ${path}".`;
  if (stat.kind !== 'directory') {
    return fail(`${path} is not a directory`, 'Move it away, or set services.session.dataDir.');
  }
  if (process.uid !== undefined && stat.uid !== process.uid) {
    return fail(`${path} belongs to another user`, 'Use a directory of your own.');
  }
  if ((stat.mode & OWNER_WRITES) !== OWNER_WRITES) return fail(`${path} is not writable`, chmod);
  return (stat.mode & OPEN_TO_OTHERS) === 0 ? ok(path) : warn(`${path} is open to others`, chmod);
}

/** The directory that is there, below which the others will be made. */
function checkFutureDirectory(fileSystem: App['fileSystem'], process: App['process'], path: string): DoctorFinding {
  let above = dirname(path);
  while (statAt(fileSystem, above) === undefined && dirname(above) !== above) above = dirname(above);
  const stat = statAt(fileSystem, realPathOf(fileSystem, above) ?? above);
  const isDirectory = stat?.kind === 'directory';
  if (isDirectory && mayMakeFilesIn(stat, process.uid)) return ok(`${path} will be made with the first session`);
  const problem = isDirectory ? 'is not writable' : 'is not a directory';
  const remedy = `Make ${above} a directory that you can write to, or set services.session.dataDir.`;
  return fail(`${path} cannot be made: ${above} ${problem}`, remedy);
}

/** Undefined also where the path leads through something that is not a directory, or may not be looked into. */
function statAt(fileSystem: App['fileSystem'], path: string): FileStat | undefined {
  return unless(isSystemError, () => fileSystem.stat(path));
}

/** By the permission bits, without groups: which of them the user is in is not known here. */
function mayMakeFilesIn({ uid: owner, mode }: FileStat, uid: number | undefined): boolean {
  if (uid === undefined || uid === ROOT) return true;
  if (owner === uid) return (mode & OWNER_WRITES) === OWNER_WRITES;
  return [0o030, 0o003].some((bits) => (mode & bits) === bits);
}

/** Sessions on a disk that is mounted read-only can still be read. */
function checkMount({ paths }: App): DoctorFinding | undefined {
  if (!isMountedReadOnly(paths.sessions)) return undefined;
  const remedy = 'Mount it for writing, or set services.session.dataDir. What is there can be read.';
  return fail(`${paths.sessions} is on a disk that is mounted read-only`, remedy);
}

function checkSpace({ fileSystem, paths }: App): DoctorFinding {
  const space = spaceAt(fileSystem, paths.sessions);
  if (space === undefined || space.totalBytes === 0) return ok('the system does not say');
  const text = `${formatBytes(space.freeBytes)} of ${formatBytes(space.totalBytes)}`;
  const remedy = 'Free some, or run "ollm prune --older-than 90d --purge".';
  switch (judgeSpace(space)) {
    case 'enough':
      return ok(text);
    case 'low':
      return warn(text, remedy);
    case 'too little':
      return fail(`${text}: no turn is begun`, remedy);
  }
}

function checkFileSystem({ fileSystem, paths, config }: App): DoctorFinding {
  const type = fileSystemType(spaceAt(fileSystem, paths.sessions)?.type ?? 0);
  const service = cloudServiceOf(paths.sessions);
  switch (type.kind) {
    case 'network': {
      const text = `${type.name}: locks and syncs over a network cannot be relied on`;
      return config.services.session.allowNetworkFileSystem
        ? warn(`${text}; it is written all the same, as the settings say`, LOCAL_DISK)
        : fail(`${text}, so nothing is written`, LOCAL_DISK);
    }
    case 'memory':
      return warn(
        `${type.name}, in memory: sessions do not survive a restart of the machine, whatever is synced`,
        LOCAL_DISK,
      );
    case 'program':
      return warn(`${type.name}: whether locks and syncs hold depends on the program behind it`, LOCAL_DISK);
    case 'local': {
      const text = `${service} keeps this directory in step with other machines and may replace a journal while it is written`;
      return service === undefined ? ok('local') : warn(text, LOCAL_DISK);
    }
  }
}

/** Journals and their derived files: regular files of the user with one name each, closed to others. */
function checkFiles({ fileSystem, paths, process }: App): DoctorFinding {
  const files = namesIn(fileSystem, paths.sessions).filter((file) => /\.(jsonl|json)$/.test(file));
  const odd = files.flatMap((file) => {
    const stat = fileSystem.stat(join(paths.sessions, file));
    const what = stat && (oddityOf(stat, process.uid) ?? (isUnseen(file) ? 'is in no list, by its name' : undefined));
    return what === undefined ? [] : [`${file} ${what}`];
  });
  if (odd.length === 0) return ok(`${countOf(files.length, 'file')}, closed to other users`);
  const remedy = `Run "chmod 600" or "chown" on files that are open to or of others in ${paths.sessions}; move away what is not a file; give a journal a name of small letters, digits and hyphens.`;
  return warn(shown(odd), remedy);
}

/** A journal under a name that no session can have: nothing else here would report it. */
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

/** What a crash left half done. The next writing sweeps most of it; here it is only reported. */
async function checkLeftovers({ fileSystem, paths, store }: App): Promise<DoctorFinding> {
  const { sessions } = paths;
  const names = namesIn(fileSystem, sessions);
  const below = (folder: string) => namesIn(fileSystem, join(sessions, folder)).map((name) => `${folder}/${name}`);
  const left = [...names, ...['archive', 'quarantine', 'blobs', 'trash'].flatMap(below)].filter((file) =>
    /\.(tmp|repair|repair\.lock)$|\/\.purge-/.test(file),
  );
  const isHeld = async (id: string) => (await store.holder(id)) !== undefined;
  for (const file of names.filter((name) => name.endsWith('.lock'))) {
    const id = file.slice(0, -'.lock'.length);
    const isOrphan =
      isSessionId(id) &&
      fileSystem.stat(join(sessions, id + JOURNAL_EXTENSION)) === undefined &&
      fileSystem.stat(join(sessions, file))?.size === 0;
    if (isOrphan && !(await isHeld(id))) left.push(file);
  }
  for (const { id, bytes } of await store.list()) {
    if (bytes === 0 && !(await isHeld(id))) left.push(id + JOURNAL_EXTENSION);
  }
  if (left.length === 0) return ok('none');
  const remedy = `None of them belongs to a session that is kept: with no ollm running, remove them from ${sessions}.`;
  return warn(`${countOf(left.length, 'file')} of interrupted work: ${shown(left)}`, remedy);
}

/** Evidence that recovery kept: nothing to be removed unseen. */
function checkSetAside({ fileSystem, paths }: App): DoctorFinding {
  const suspects = namesIn(fileSystem, paths.sessions).filter((name) => name.endsWith('.suspect'));
  const torn = namesIn(fileSystem, join(paths.sessions, 'quarantine')).filter((name) => name.endsWith('.bin'));
  const kept = [...suspects, ...torn.map((name) => `quarantine/${name}`)];
  if (kept.length === 0) return ok('nothing');
  if (suspects.length === 0) {
    return ok(`${countOf(kept.length, 'torn end')} of writes that were never acknowledged: ${shown(kept)}`);
  }
  const remedy = 'Look for a backup of those journals; remove the files when you need them no more.';
  return warn(`${countOf(kept.length, 'file')} that knew more than a journal: ${shown(kept)}`, remedy);
}

async function checkLocks({ store }: App): Promise<DoctorFinding> {
  const held: string[] = [];
  for (const id of await store.ids()) {
    const holder = await store.holder(id);
    if (holder) held.push(`${id} by process ${holder.pid ?? 'unknown'}`);
  }
  return ok(held.length === 0 ? 'none' : held.join(', '));
}

/** A snapshot or state file that knows more than its journal says that acknowledged events were lost. */
async function checkEvidence({ store }: App): Promise<DoctorFinding> {
  const ahead: string[] = [];
  for (const id of await store.ids()) {
    // A journal that cannot be read is reported by the check of the files, and by "ollm verify".
    if (await unless(isOllmError, () => isEvidence(store, id))) ahead.push(id);
  }
  if (ahead.length === 0) return ok('none knows more than its journal');
  const remedy = `Run "ollm verify ${ahead[0]}" and look for a copy of the journal in a backup.`;
  return fail(`ahead of their journals, which have lost events: ${shown(ahead)}`, remedy);
}

async function isEvidence(store: App['store'], id: string): Promise<boolean> {
  const last = await readJournal(store, id, async (reader) => lastAnchor((await reader.sealed()) ?? reader));
  return (await evidenceOfLoss(store, id, last)).length > 0;
}

async function lastAnchor(reader: JournalReader): Promise<Anchor | undefined> {
  return (await firstEvent(reader.backwards()))?.position;
}

/** Sessions of earlier versions stay as they are: a journal is never rewritten. */
async function checkSeals({ store }: App): Promise<DoctorFinding> {
  const older: string[] = [];
  for (const id of await store.ids()) {
    const first = await unless(isOllmError, () => readJournal(store, id, (reader) => reader.first()));
    if (hasOlderSeals(first)) older.push(id);
  }
  if (older.length === 0) return ok('none has lines that are sealed in part');
  const remedy = `A change of their times, turns or ids would not be found. A fork is sealed whole: "ollm fork ${older[0]}".`;
  return warn(`encrypted by an earlier version: ${shown(older)}`, remedy);
}

async function checkTrash({ store, paths }: App): Promise<DoctorFinding> {
  try {
    const trash = await store.listTrash();
    const bytes = trash.reduce((sum, entry) => sum + entry.bytes, 0);
    return ok(trash.length === 0 ? 'empty' : `${countOf(trash.length, 'session')}, ${formatBytes(bytes)}`);
  } catch (error) {
    return fault(error, `Look at ${paths.sessions}/trash.`);
  }
}

function shown(names: readonly string[]): string {
  const first = names.slice(0, MAX_NAMES_SHOWN).join(', ');
  return names.length > MAX_NAMES_SHOWN ? `${first}, … (${names.length} in all)` : first;
}

/** Files of other programs as they were before ollm changed them. */
function checkSettingsCopies({ fileSystem, paths }: App): DoctorFinding {
  const copies =
    statAt(fileSystem, settingsCopiesOf(paths.home)) === undefined ? [] : settingsCopies(fileSystem, paths.home);
  const [newest] = copies;
  if (newest === undefined) return ok('none');
  return ok(`${countOf(copies.length, 'file')} of other programs as ollm found it, the newest: ${newest}`);
}
