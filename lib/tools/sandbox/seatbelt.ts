// Confines programs on macOS by Seatbelt, through the system's own sandbox-exec. The disk can be read except hidden
// places; only places in scope can be written, and protected ones never, whether they exist or not. The temporary
// directory is the program's own. Tests compare the text of the profile; it has not run on a macOS.
import { join } from 'node:path';
import type { FileSystem } from '../../platform/files/file-system.ts';
import { removeTree, writeAll } from '../../platform/files/io.ts';
import type { Ids } from '../../platform/ids.ts';
import { temporaryDirectory } from '../../platform/processes/temporary-directory.ts';
import type { Sandbox } from '../sandboxing.ts';
import { lookAt } from './look.ts';
import { type DiskLook, type ScopePaths, scopePaths } from './scope-paths.ts';

export const SEATBELT_PROGRAM = '/usr/bin/sandbox-exec';

/** Devices that programs expect to be able to write. */
const WRITABLE_DEVICES = ['/dev/null', '/dev/zero', '/dev/stdout', '/dev/stderr', '/dev/dtracehelper'];

export function createSeatbelt(fileSystem: FileSystem, ids: Ids): Sandbox {
  return {
    name: 'seatbelt',
    confine(argv, scope) {
      const temporary = join(temporaryDirectory(), `ollm-${ids.token()}`);
      fileSystem.makeDirectory(temporary, 0o700);
      const look = lookAt(fileSystem);
      const writable = [...scope.writable, temporary];
      const visible = scope.visible && realPlaces([...scope.visible, ...(scope.readable ?? []), temporary], look);
      const profile = seatbeltProfile(scopePaths({ ...scope, writable }, look), scope.network, visible);
      const given = join(temporary, '.ollm');
      fileSystem.makeDirectory(given, 0o700);
      const variables = (scope.given ?? []).flatMap(({ name, text, isProgram, variables }) => {
        const path = join(given, name);
        const file = fileSystem.open(path, 'create', isProgram ? 0o500 : 0o400);
        writeAll(file, new TextEncoder().encode(text));
        file.close();
        return Object.entries(variables(path)).map(([variable, value]) => `${variable}=${value}`);
      });
      return {
        argv: [SEATBELT_PROGRAM, '-p', profile, '/usr/bin/env', `TMPDIR=${temporary}`, ...variables, ...argv],
        end: () => removeTree(temporary),
      };
    },
  };
}

/** In the language of Seatbelt, in which the last rule that matches decides. */
export function seatbeltProfile(
  { mounts, absent, hidden, shown = [] }: ScopePaths,
  network: boolean,
  visible?: readonly string[],
): string {
  const pinned = mounts.filter(({ isWritable }) => isWritable);
  return [
    '(version 1)',
    '(allow default)',
    // What would let a program outside act in its place.
    '(deny appleevent-send)',
    '(deny signal)',
    '(allow signal (target same-sandbox))',
    ...(network ? [] : ['(deny network*)']),
    // Names may be asked for everywhere: the way to a file leads over them.
    ...(visible === undefined ? [] : ['(deny file-read-data)', '(allow file-read-data (literal "/"))']),
    ...(visible ?? []).map((path) => `(allow file-read-data (subpath ${quoted(path)}))`),
    '(deny file-write*)',
    ...WRITABLE_DEVICES.map((path) => `(allow file-write* (literal ${quoted(path)}))`),
    ...mounts.map(({ path, isWritable }) => `(${isWritable ? 'allow' : 'deny'} file-write* (subpath ${quoted(path)}))`),
    // Moving one of these would move the protected places inside it.
    ...pinned.map(({ path }) => `(deny file-write-unlink (literal ${quoted(path)}))`),
    ...absent.map(({ path }) => `(deny file-write* (subpath ${quoted(path)}))`),
    ...hidden.map(({ path }) => `(deny file-read* file-write* (subpath ${quoted(path)}))`),
    ...shown.map((path) => `(allow file-read* (subpath ${quoted(path)}))`),
    '',
  ].join('\n');
}

/** Under both names, for a link may be on the way. */
function realPlaces(paths: readonly string[], look: DiskLook): string[] {
  return [...new Set(paths.flatMap((path) => [path, look.real(path) ?? path]))];
}

function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&')}"`;
}
