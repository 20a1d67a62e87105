// `ollm agents --mcp` after the yes: the planned changes, each file as a whole. The file as it was is kept before that.
import { join } from 'node:path';
import { replaceSettingsFile } from '../../agent-config/settings-file.ts';
import { isOllmError, OllmError, systemErrorCode } from '../../errors/index.ts';
import { ContentChange } from '../../platform/files/file-change.ts';
import { namesIn, writeAll } from '../../platform/files/io.ts';
import type { App } from '../app.ts';
import { foreignPorts } from '../foreign-ports.ts';
import type { ServerPlan, ServerRow } from './server-plan.ts';

/** A row after the change: `kept` is where the file as it was is; undefined if there was none. */
export type ChangedServer = ServerRow & { readonly kept: string | undefined };

/** The number of copies of each program, in `backups` of ollm's directory. */
const KEPT_FILES = 10;

/**
 * Makes the change of one plan. A change that fails is a row with the state `refused`, and the file is as it was.
 *
 * @example
 * for (const plan of await planServers(app, { program: ['ollm'] })) console.log(await changeServer(app, plan));
 */
export async function changeServer(app: App, { row, change }: ServerPlan): Promise<ChangedServer> {
  if (change === undefined) return { ...row, kept: undefined };
  const { file, text } = change;
  let lock: ContentChange | undefined;
  try {
    lock = await lockOf(app);
    const kept = file.mode === undefined ? undefined : await keepCopy(app, row.name, file.text);
    const { home } = foreignPorts(app).surroundings;
    await replaceSettingsFile(app.fileSystem, file, { text, token: app.ids.token(), home, uid: app.process.uid });
    return { ...row, kept };
  } catch (error) {
    if (!isOllmError(error)) throw error;
    return { ...row, state: 'refused', reason: error.message, kept: undefined };
  } finally {
    lock?.end();
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
  const folder = join(paths.home, 'backups');
  const stamp = new Date(clock.now()).toISOString().replaceAll(/[-:.]/g, '');
  const path = join(folder, `${name}-${stamp}`);
  try {
    fileSystem.makeDirectory(folder, 0o700);
    const handle = fileSystem.open(path, 'create', 0o600);
    try {
      writeAll(handle, Buffer.from(text));
      await handle.sync();
    } finally {
      handle.close();
    }
  } catch (error) {
    throw worded(path, error);
  }
  const older = namesIn(fileSystem, folder).filter(
    (each) => /^[a-z]+-\d{8}T\d{9}Z$/.test(each) && each.startsWith(`${name}-`),
  );
  for (const each of older.toSorted().slice(0, -KEPT_FILES)) fileSystem.unlink(join(folder, each));
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
