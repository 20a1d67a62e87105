// `ollm handover --remove`: takes back a file that was written for another program. One that the program has gone on
// with is the user's conversation: it is kept in a folder of ollm, and only on request.
import { basename, dirname, join } from 'node:path';
import { isSystemError, OllmError, systemErrorCode, unless } from '../../errors/index.ts';
import { readFile, writeAll } from '../../platform/files/io.ts';
import type { App } from '../app.ts';
import { type HandedOver, handovers } from './handovers.ts';

interface RemovedHandover {
  readonly address: string;
  readonly path: string;
  /** Where it is now; undefined where it was as it was written, and is deleted. */
  readonly keptAt: string | undefined;
}

/**
 * `reference`: the address of the session that was written, or a unique beginning of it.
 *
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, USAGE (it has changed, and `changed` is not set), IO_FAILED
 */
export async function removeHandover(
  app: App,
  reference: string,
  { changed = false }: { readonly changed?: boolean | undefined } = {},
): Promise<RemovedHandover> {
  const { address, path, state } = handedOver(app, reference);
  if (state === 'continued' && !changed) {
    throw new OllmError('USAGE', `${address} is not as it was written: it was continued, or changed.`, {
      hint: 'Add --changed: it is moved into handover/removed in the home of ollm, and not deleted.',
      data: { path },
    });
  }
  try {
    const keptAt = state === 'continued' ? await moved(app, path) : undefined;
    if (state === 'written') app.fileSystem.unlink(path);
    await app.fileSystem.syncDirectory(dirname(path));
    unless(isSystemError, () => removeIfEmpty(app, dirname(path)));
    return { address, path, keptAt };
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    throw new OllmError('IO_FAILED', `Cannot remove ${path}: ${code}.`, { cause: error, data: { path } });
  }
}

function handedOver(app: App, reference: string): HandedOver {
  const all = handovers(app);
  const exact = all.find(({ address }) => address === reference);
  const named = exact === undefined ? all.filter(({ address }) => address.startsWith(reference)) : [exact];
  const there = named.filter(({ state }) => state !== 'gone');
  const [first, second] = there;
  if (first === undefined) {
    const problem = named.length > 0 ? 'is not there any more' : 'was not handed over from here';
    throw new OllmError('SESSION_NOT_FOUND', `${reference.slice(0, 200)} ${problem}.`, {
      hint: '"ollm handover --list" names those that are there.',
    });
  }
  if (second === undefined) return first;
  throw new OllmError('SESSION_AMBIGUOUS', `Several sessions that were handed over begin with ${reference}.`, {
    hint: there.map(({ address }) => address).join(', '),
  });
}

/** A copy that is on the device before the name in the program's place goes: that may be another disk. */
async function moved({ fileSystem, ids, paths }: App, path: string): Promise<string> {
  const folder = join(paths.home, 'handover', 'removed');
  fileSystem.makeDirectory(folder);
  const kept = join(folder, `${ids.token()}-${basename(path)}`);
  const handle = fileSystem.open(kept, 'create', 0o600);
  try {
    writeAll(handle, readFile(fileSystem, path));
    await handle.sync();
  } finally {
    handle.close();
  }
  await fileSystem.syncDirectory(folder);
  fileSystem.unlink(path);
  return kept;
}

function removeIfEmpty({ fileSystem }: App, directory: string): void {
  if (fileSystem.readNames(directory).length === 0) fileSystem.removeDirectory(directory);
}
