// Confines programs on Linux by bubblewrap: namespaces of their own for files, processes, network and the rest, no
// capability, no way to gain one. The whole disk can be read except hidden places, or, by programs that only read, just
// the places in scope; writable places are bound on top. /tmp, /run and /dev are its own, so that no socket of a
// service outside can be reached by its path. When its guard ends, for whatever reason, the kernel ends everything
// inside.
import { join } from 'node:path';
import { systemErrorCode } from '../../errors/index.ts';
import type { FileSystem } from '../../platform/files/file-system.ts';
import { isInside } from '../../platform/files/inside.ts';
import { removeTree, writeAll } from '../../platform/files/io.ts';
import type { Ids } from '../../platform/ids.ts';
import { temporaryDirectory } from '../../platform/processes/temporary-directory.ts';
import type { GivenFile, Sandbox, SandboxScope } from '../sandboxing.ts';
import { ToolFailure } from '../tool.ts';
import { lookAt } from './look.ts';
import type { Placeholders } from './placeholders.ts';
import { type DiskLook, type ScopePaths, scopePaths } from './scope-paths.ts';

interface BubblewrapOptions {
  /** The path of bwrap. */
  readonly program: string;
  /** The command that runs what follows it with a bound to the number of its processes; empty where there is none. */
  readonly taskLimit: readonly string[];
  readonly fileSystem: FileSystem;
  readonly ids: Ids;
  readonly placeholders: Placeholders;
  /** The filter for system calls; undefined where this machine can have none. */
  readonly filter: ((network: boolean) => Uint8Array) | undefined;
}

/** The first that is inherited. */
const FIRST_DESCRIPTOR = 3;
/** In the program's own /tmp. */
const GIVEN_PLACE = '/tmp/.ollm';
/** More than that bwrap does not take. */
const MAX_ARGUMENTS = 9000;
/** What /tmp, /run and /dev/shm may take of the memory. */
const TEMPORARY_BYTES = 2 ** 30;
/** What programs need of /run: on NixOS all of them, elsewhere drivers. */
const NEEDED_OF_RUN = ['/run/current-system', '/run/booted-system', '/run/opengl-driver', '/run/opengl-driver-32'];
/**
 * For root these are writable by name, without any capability: core_pattern by itself would let it run a program
 * outside.
 */
const SETTINGS_OF_KERNEL = ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus', '/proc/fs', '/proc/acpi'];
/** They name sockets that are not there inside. */
const VARIABLES_TO_DROP = ['SSH_AUTH_SOCK', 'GPG_AGENT_INFO', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR'];

export function createBubblewrap(options: BubblewrapOptions): Sandbox {
  const { program, taskLimit, fileSystem, placeholders, filter } = options;
  return {
    name: 'bubblewrap',
    ownPlaces: ['/tmp'],
    hasStandIns: true,
    ...(filter === undefined && { lacks: 'without a filter for system calls, which this machine does not have' }),
    confine(argv, scope, cwd) {
      const look = lookAt(fileSystem, placeholders.isPlaceholder);
      const paths = scopePaths(scope, look);
      const hider = paths.hidden.find(({ path }) => isInside(path, look.real(cwd) ?? cwd));
      if (hider) throw new ToolFailure(`Nothing can run in ${cwd}: ${hider.path} is hidden from tools (tools.hidden).`);
      const places = placeholders.hold(paths.absent);
      const nothing = blankFiles(options, paths, scope.blank);
      const end = () => {
        places.release();
        nothing?.remove();
      };
      const filters = filter === undefined ? [] : [filter(scope.network)];
      const { given = [] } = scope;
      const before = [
        ...bubblewrapArguments({ paths, scope, cwd, held: places.paths, nothing }, look),
        ...(filter === undefined ? [] : ['--seccomp', String(FIRST_DESCRIPTOR)]),
        ...given.flatMap((file, index) => giveFile(file, FIRST_DESCRIPTOR + filters.length + index)),
        ...(scope.visible === undefined ? [] : ['--remount-ro', '/']),
        ...['--', ...taskLimit],
      ];
      if (before.length + argv.length > MAX_ARGUMENTS) {
        end();
        const fitting = MAX_ARGUMENTS - before.length;
        throw new ToolFailure(
          `${argv[0]} has ${argv.length} arguments; in the sandbox there can be ${fitting}. Name fewer at a time.`,
        );
      }
      return {
        argv: [program, ...before, ...argv],
        inherited: [...filters, ...given.map(({ text }) => new TextEncoder().encode(text))],
        end,
        guardsTree: true,
      };
    },
  };
}

interface Confinement {
  readonly paths: ScopePaths;
  readonly scope: SandboxScope;
  readonly cwd: string;
  /** The paths of `paths.absent` where a placeholder is. */
  readonly held: readonly string[];
  /** Files to be seen in the place of hidden ones. */
  readonly nothing: BlankFiles | undefined;
}

/** Everything before `--`. The order counts: later mounts cover earlier ones. */
function bubblewrapArguments({ paths, scope, cwd, held, nothing }: Confinement, look: DiskLook): string[] {
  const isEverythingWritable = paths.mounts.some(({ path, isWritable }) => path === '/' && isWritable);
  const resolver = scope.network ? look.real('/etc/resolv.conf') : undefined;
  const ownRun = ['/run', '/var/run'].filter((path) => look.kind(path) === 'directory');
  const standIns = [...(scope.standIns ?? [])].sort((a, b) => a.path.length - b.path.length);
  const covering = ['/tmp', ...ownRun, ...standIns.map(({ path }) => path)];
  const shown = shownPlaces(scope, { cwd, ownRun, covering }, look);
  const exists = (path: string) =>
    scope.visible === undefined || [...scope.visible, ...shown].some((place) => isInside(place, path));
  return [
    ...['--unshare-user-try', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(scope.network ? [] : ['--unshare-net']),
    ...['--new-session', '--die-with-parent', '--cap-drop', 'ALL'],
    ...wholeDisk(scope, isEverythingWritable),
    ...['--dev', '/dev', ...ownTemporary('/dev/shm'), ...ownTemporary('/tmp'), '--proc', '/proc'],
    ...SETTINGS_OF_KERNEL.flatMap((path) => ['--ro-bind-try', path, path]),
    ...ownRun.flatMap(ownTemporary),
    ...NEEDED_OF_RUN.flatMap((path) => ['--ro-bind-try', path, path]),
    ...(resolver && isInside('/run', resolver) ? ['--ro-bind-try', resolver, resolver] : []),
    ...standIns.flatMap(({ path, by }) => ['--bind', by, path]),
    ...shown.flatMap((path) => ['--ro-bind', path, path]),
    ...paths.mounts
      .filter(({ path }) => path !== '/')
      .flatMap(({ path, isWritable }) => [isWritable ? '--bind' : '--ro-bind', path, path]),
    ...held.flatMap((path) => ['--ro-bind', path, path]),
    ...paths.hidden
      .filter(({ path }) => exists(path))
      .flatMap(({ path, kind }) => hide(path, kind, { nothing: nothing?.inPlaceOf(path), shown: paths.shown })),
    ...['--setenv', 'TMPDIR', '/tmp', ...VARIABLES_TO_DROP.flatMap((name) => ['--unsetenv', name])],
    ...['--chdir', scope.visible === undefined ? cwd : (look.real(cwd) ?? cwd)],
  ];
}

/** Without it the root is an empty directory, in which only the mounts exist. */
function wholeDisk({ visible }: SandboxScope, isWritable: boolean): string[] {
  if (visible === undefined) return [isWritable ? '--bind' : '--ro-bind', '/', '/'];
  return inOrder(visible).flatMap((path) => ['--ro-bind-try', path, path]);
}

/**
 * Places that the program's own /tmp, /run and stand-ins would cover, and readable places where nothing else exists.
 */
function shownPlaces(
  { readable = [], visible }: SandboxScope,
  { cwd, ownRun, covering }: Readonly<Record<'ownRun' | 'covering', readonly string[]>> & { readonly cwd: string },
  look: DiskLook,
): string[] {
  const isCovered = (path: string) => covering.some((own) => path !== own && isInside(own, path));
  if (visible === undefined) return [cwd, ...readable].flatMap((path) => look.real(path) ?? []).filter(isCovered);
  const coversOwn = (path: string) => ['/tmp', '/dev', '/proc', ...ownRun].some((own) => isInside(path, own));
  const opened = readable
    .flatMap((path) => (look.real(path) === undefined ? [] : [path, look.real(path)!]))
    .filter((path) => !coversOwn(path));
  return inOrder([...opened, ...visible.filter((path) => isCovered(path) && look.real(path) !== undefined)]);
}

function inOrder(paths: readonly string[]): string[] {
  return [...new Set(paths)].sort((a, b) => a.length - b.length);
}

function giveFile({ name, isProgram, variables }: GivenFile, descriptor: number): string[] {
  const place = `${GIVEN_PLACE}/${name}`;
  return [
    ...['--perms', isProgram ? '0555' : '0444', '--ro-bind-data', String(descriptor), place],
    ...Object.entries(variables(place)).flatMap(([variable, value]) => ['--setenv', variable, value]),
  ];
}

function ownTemporary(path: string): string[] {
  return ['--size', String(TEMPORARY_BYTES), '--tmpfs', path];
}

function hide(
  path: string,
  kind: 'file' | 'directory',
  { nothing = '/dev/null', shown = [] }: { readonly nothing: string | undefined; readonly shown: ScopePaths['shown'] },
): string[] {
  const inside = shown.filter((each) => isInside(path, each)).flatMap((each) => ['--ro-bind', each, each]);
  if (kind === 'directory') return ['--tmpfs', path, ...inside, '--remount-ro', path];
  return nothing === '/dev/null' ? ['--dev-bind', nothing, path] : ['--ro-bind', nothing, path];
}

interface BlankFiles {
  /** The file to be seen in the place of this one. */
  inPlaceOf(path: string): string;
  remove(): void;
}

/** Longer files are seen as empty. */
const MAX_BLANK_BYTES = 64 * 1024;

/**
 * Files without content: a device in the place of a file that is hidden looks strange to a program. Undefined where no
 * file is hidden, or none can be made.
 */
function blankFiles(
  { fileSystem, ids }: BubblewrapOptions,
  { hidden }: ScopePaths,
  blank: readonly string[] = [],
): BlankFiles | undefined {
  if (!hidden.some(({ kind }) => kind === 'file')) return undefined;
  const directory = join(temporaryDirectory(), `ollm-empty-${ids.token()}`);
  const make = (name: string, bytes: number): string => {
    const path = join(directory, name);
    const handle = fileSystem.open(path, 'create', 0o444);
    writeAll(handle, Buffer.alloc(bytes, '\n'));
    handle.close();
    return path;
  };
  try {
    fileSystem.makeDirectory(directory, 0o700);
    const empty = make('empty', 0);
    const made = new Map<string, string>();
    for (const [index, path] of blank.entries()) {
      const { size = 0 } = fileSystem.stat(path) ?? {};
      if (size > 0 && size <= MAX_BLANK_BYTES) made.set(path, make(`blank-${index}`, size));
    }
    return { inPlaceOf: (path) => made.get(path) ?? empty, remove: () => removeTree(directory) };
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
}
