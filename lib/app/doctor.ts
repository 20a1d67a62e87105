// `ollm doctor`: what is installed, reachable and writable, one check after the other. Changes nothing. Each finding
// that is not in order says what to do about it.
import { isOllmError } from '../errors/index.ts';
import { countOf, formatBytes } from '../exporters/quantities.ts';
import { decodeStateDocument } from '../session/state-document.ts';
import type { App } from './app.ts';
import { chooseProvider } from './choose-provider.ts';

export interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly text: string;
  /** What to do, where something is to be done. */
  readonly remedy?: string | undefined;
}

export interface DoctorOptions {
  /** `process.versions.node`. */
  readonly nodeVersion: string;
}

const NEEDED_NODE_MAJOR = 24;
const LOW_SPACE_BYTES = 64 * 1024 * 1024;
const NO_SPACE_BYTES = 16 * 1024 * 1024;
/** statfs f_type of file systems whose locks and syncs cannot be relied on. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x01021997, '9p'],
]);
const MEMORY_FILE_SYSTEM = 0x01021994;

export async function* examine(app: App, { nodeVersion }: DoctorOptions): AsyncGenerator<Check, void, void> {
  yield checkNode(nodeVersion);
  yield checkConfiguration(app);
  const directory = checkDirectory(app);
  yield directory;
  if (directory.status !== 'fail' && app.fileSystem.stat(app.paths.sessions)) {
    yield checkSpace(app);
    yield checkFileSystem(app);
    yield checkLeftovers(app);
    yield checkLocks(app);
    yield checkWitnesses(app);
    yield checkTrash(app);
  }
  yield await checkProvider(app);
}

function checkNode(version: string): Check {
  const name = 'Node';
  if (Number(version.split('.')[0]) >= NEEDED_NODE_MAJOR) return { name, status: 'ok', text: version };
  return { name, status: 'fail', text: `${version} is too old`, remedy: `Install Node ${NEEDED_NODE_MAJOR} or newer.` };
}

function checkConfiguration({ warnings }: App): Check {
  const name = 'configuration';
  if (warnings.length === 0) return { name, status: 'ok', text: 'read without objection' };
  return { name, status: 'warn', text: warnings.join(' '), remedy: 'See "ollm config explain".' };
}

function checkDirectory({ fileSystem, paths, process }: App): Check {
  const name = 'data directory';
  const path = paths.sessions;
  const stat = fileSystem.stat(path);
  if (!stat) return { name, status: 'ok', text: `${path} will be made with the first session` };
  if (stat.kind !== 'directory') {
    return {
      name,
      status: 'fail',
      text: `${path} is no directory`,
      remedy: 'Move it away, or set services.session.dataDir.',
    };
  }
  if (process.uid !== undefined && stat.uid !== process.uid) {
    return { name, status: 'fail', text: `${path} belongs to another user`, remedy: 'Use a directory of your own.' };
  }
  if ((stat.mode & 0o077) !== 0) {
    return { name, status: 'warn', text: `${path} is open to others`, remedy: `Run "chmod 700 ${path}".` };
  }
  if ((stat.mode & 0o300) !== 0o300) {
    return { name, status: 'fail', text: `${path} is not writable`, remedy: `Run "chmod 700 ${path}".` };
  }
  return { name, status: 'ok', text: path };
}

function checkSpace({ fileSystem, paths }: App): Check {
  const name = 'free space';
  const { freeBytes, totalBytes } = fileSystem.space(paths.sessions);
  const text = `${formatBytes(freeBytes)} of ${formatBytes(totalBytes)}`;
  const remedy = 'Free some, or run "ollm prune --older-than 90d --purge".';
  if (freeBytes < NO_SPACE_BYTES) return { name, status: 'fail', text, remedy };
  if (freeBytes < Math.max(LOW_SPACE_BYTES, totalBytes / 100)) return { name, status: 'warn', text, remedy };
  return { name, status: 'ok', text };
}

function checkFileSystem({ fileSystem, paths }: App): Check {
  const name = 'file system';
  const { type } = fileSystem.space(paths.sessions);
  const network = NETWORK_FILE_SYSTEMS.get(type);
  if (network) {
    const remedy = 'Set services.session.dataDir to a directory on a local disk.';
    return { name, status: 'warn', text: `${network}: locks and syncs over a network cannot be relied on`, remedy };
  }
  if (type === MEMORY_FILE_SYSTEM) {
    const remedy = 'Set services.session.dataDir to a directory on a disk.';
    return { name, status: 'warn', text: 'in memory: sessions do not survive a restart of the machine', remedy };
  }
  return { name, status: 'ok', text: 'local' };
}

/** Files that a crash left: temporary ones, and derived files that were set aside. */
function checkLeftovers({ fileSystem, paths }: App): Check {
  const name = 'leftovers';
  const left = fileSystem
    .readDirectory(paths.sessions)
    .filter(({ name: file }) => /\.(tmp|repair|suspect)$/.test(file));
  if (left.length === 0) return { name, status: 'ok', text: 'none' };
  const names = left
    .slice(0, 3)
    .map(({ name: file }) => file)
    .join(', ');
  const remedy = `Look at them and remove them from ${paths.sessions}.`;
  return {
    name,
    status: 'warn',
    text: `${countOf(left.length, 'file')}: ${names}${left.length > 3 ? ', …' : ''}`,
    remedy,
  };
}

function checkLocks({ store }: App): Check {
  const name = 'open sessions';
  const held = store.list().flatMap(({ id }) => {
    const holder = store.holder(id);
    return holder ? [`${id} by process ${holder.pid ?? 'unknown'}`] : [];
  });
  return { name, status: 'ok', text: held.length === 0 ? 'none' : held.join(', ') };
}

/** A state file that knows more than its journal is evidence that acknowledged events were lost. */
function checkWitnesses({ store }: App): Check {
  const name = 'state files';
  const ahead = store.list().flatMap(({ id, bytes }) => {
    const text = store.readDocument(id, 'state');
    const synced = text === undefined ? undefined : decodeStateDocument(text)?.synced;
    return synced !== undefined && synced.offset > bytes ? [id] : [];
  });
  if (ahead.length === 0) return { name, status: 'ok', text: 'none knows more than its journal' };
  return {
    name,
    status: 'fail',
    text: `ahead of their journals, which have lost events: ${ahead.join(', ')}`,
    remedy: `Run "ollm verify ${ahead[0]}" and look for a copy of the journal in a backup.`,
  };
}

function checkTrash({ store }: App): Check {
  const trash = store.listTrash();
  const bytes = trash.reduce((sum, entry) => sum + entry.bytes, 0);
  const text = trash.length === 0 ? 'empty' : `${countOf(trash.length, 'session')}, ${formatBytes(bytes)}`;
  return { name: 'trash', status: 'ok', text };
}

async function checkProvider(app: App): Promise<Check> {
  const name = 'provider';
  try {
    const { provider, model, why } = await chooseProvider(app);
    const text = `${provider.name}, model ${model}`;
    const isStandIn = provider.name === 'offline' && app.config.provider !== 'offline';
    return isStandIn ? { name, status: 'warn', text, remedy: why } : { name, status: 'ok', text };
  } catch (error) {
    if (isOllmError(error)) return { name, status: 'fail', text: error.message, remedy: error.hint };
    throw error;
  }
}
