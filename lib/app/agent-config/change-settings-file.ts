// A settings file of another program is replaced, one change after the other. The file as it was is kept before that.
import { join } from 'node:path';
import { replaceSettingsFile, type SettingsFile } from '../../agent-config/settings-file.ts';
import { OllmError, systemErrorCode } from '../../errors/index.ts';
import { ContentChange } from '../../platform/files/file-change.ts';
import { namesIn, writeAll } from '../../platform/files/io.ts';
import type { App } from '../app.ts';
import { foreignPorts } from '../start/foreign-ports.ts';

interface FileChange {
  /** Names its copies: lower-case letters and hyphens. */
  readonly name: string;
  readonly file: SettingsFile;
  readonly text: string;
}

/** The number of copies of each name. */
const KEPT_FILES = 10;
const STAMP = /-\d{8}T\d{9}Z$/;
const STAMP_LENGTH = '-20260101T000000000Z'.length;

/** The directory of the copies, in that of ollm. */
export function settingsCopiesOf(home: string): string {
  return join(home, 'backups');
}

/** Their paths, the newest first. */
export function settingsCopies(fileSystem: App['fileSystem'], home: string): readonly string[] {
  const folder = settingsCopiesOf(home);
  const copies = namesIn(fileSystem, folder).filter((name) => STAMP.test(name));
  return copies
    .toSorted((a, b) => (a.slice(-STAMP_LENGTH) < b.slice(-STAMP_LENGTH) ? 1 : -1))
    .map((name) => join(folder, name));
}

/**
 * Returns where the file as it was is; undefined if there was none.
 * @throws OllmError CONFIG_INVALID: the file was changed after it was read; IO_FAILED. Both leave the file as it was.
 */
export async function changeSettingsFile(app: App, { name, file, text }: FileChange): Promise<string | undefined> {
  const lock = await lockOf(app);
  try {
    const kept = file.mode === undefined ? undefined : await keepCopy(app, name, file.text);
    const { home } = foreignPorts(app).surroundings;
    await replaceSettingsFile(app.fileSystem, file, { text, token: app.ids.token(), home, uid: app.process.uid });
    return kept;
  } finally {
    lock.end();
  }
}

/** Changes wait for each other. The lock is in the directory of ollm, those of other programs stay clean. */
async function lockOf({ fileSystem, ids, paths }: App): Promise<ContentChange> {
  const path = join(paths.home, 'agent-settings');
  try {
    return await ContentChange.beginWhenFree({ path, fileSystem, ids });
  } catch (error) {
    throw worded(path, error);
  }
}

async function keepCopy({ fileSystem, clock, paths }: App, name: string, text: string): Promise<string> {
  const folder = settingsCopiesOf(paths.home);
  const stamp = new Date(clock.now()).toISOString().replaceAll(/[-:.]/g, '');
  const path = join(folder, `${name}-${stamp}`);
  try {
    fileSystem.makeDirectory(folder, 0o700);
    using handle = fileSystem.open(path, 'create', 0o600);
    writeAll(handle, Buffer.from(text));
    await handle.sync();
  } catch (error) {
    throw worded(path, error);
  }
  const own = settingsCopies(fileSystem, paths.home).filter(
    (each) => each.slice(0, -STAMP_LENGTH) === join(folder, name),
  );
  for (const older of own.slice(KEPT_FILES)) fileSystem.unlink(older);
  return path;
}

function worded(path: string, error: unknown): unknown {
  const code = systemErrorCode(error);
  if (code === undefined) return error;
  return new OllmError('IO_FAILED', `${path} cannot be written (${code}), and nothing was changed.`, {
    hint: 'Look at its permissions, and whether the disk has room.',
    data: { path },
    cause: error,
  });
}
