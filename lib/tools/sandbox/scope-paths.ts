// Turns the scope of a sandbox into an action for each real path. Pure: it asks about the disk through `look`. A later
// group wins: protected places stay protected inside writable ones, hidden ones inside both. Only what a program could
// change needs protection: outside the writable directories nothing can be written anyway.
import { dirname, join } from 'node:path';
import type { FileKind } from '../../platform/files/file-system.ts';
import { isInside } from '../../platform/files/inside.ts';
import type { SandboxScope } from '../sandboxing.ts';

/** The disk, as far as it concerns us. */
export interface DiskLook {
  /** Follows no link. Undefined if there is nothing. */
  kind(path: string): FileKind | undefined;
  /** All links resolved. Undefined if it leads nowhere. */
  real(path: string): string | undefined;
  /** Names in a directory. */
  names(path: string): readonly string[];
}

/** What to mount, by real paths, in this order. */
export interface ScopePaths {
  /** Parents before their children. */
  readonly mounts: readonly ScopeMount[];
  /** Where nothing is, and nothing may come to be. */
  readonly absent: readonly TypedPath[];
  readonly hidden: readonly TypedPath[];
  /** Readable places in hidden directories. */
  readonly shown?: readonly string[] | undefined;
}

interface ScopeMount {
  readonly path: string;
  readonly isWritable: boolean;
}

export interface TypedPath {
  readonly path: string;
  readonly kind: 'file' | 'directory';
}

/**
 * The actions for a scope. A protected path that ends in a slash means a directory, if nothing exists there yet.
 */
export function scopePaths(scope: SandboxScope, look: DiskLook): ScopePaths {
  const roots = sorted(scope.writable.flatMap((path) => look.real(path) ?? []));
  const isInScope = (path: string) => roots.some((root) => isInside(root, path));
  const writable = new Set(roots);
  const frozen = new Set<string>();
  const whole = new Set<string>();
  const absent = new Map<string, TypedPath>();

  const protect = (wanted: string): void => {
    const { path, kind, isLast } = resolveAsFarAsPossible(withoutSlash(wanted), look);
    if (kind === 'link') {
      // Nothing can be mounted on a link: instead, no name in its directory may change.
      if (isInScope(path)) frozen.add(dirname(path));
      const target = look.real(path);
      if (target !== undefined) protect(target);
    } else if (kind !== undefined) {
      if (isInScope(path) || roots.some((root) => isInside(path, root))) whole.add(path);
    } else if (isInScope(path)) {
      // Below it nothing can be made either, once nothing can be made here.
      absent.set(path, { path, kind: isLast && !wanted.endsWith('/') ? 'file' : 'directory' });
    }
    for (const folder of foldersBetween(roots, path)) writable.add(folder);
  };
  for (const path of scope.protected) protect(path);

  for (const folder of frozen) {
    writable.delete(folder);
    for (const name of look.names(folder)) {
      const kind = look.kind(join(folder, name));
      if (kind === 'file' || kind === 'directory') writable.add(join(folder, name));
    }
  }
  for (const path of writable) if ([...whole].some((other) => isInside(other, path))) writable.delete(path);
  const mounts = sorted([...writable, ...frozen, ...whole]);
  return {
    mounts: mounts.map((path) => ({ path, isWritable: writable.has(path) })),
    absent: sorted(absent.keys()).map((path) => absent.get(path)!),
    hidden: hiddenPaths(scope.hidden, look),
    ...(scope.shown && { shown: sorted(scope.shown.flatMap((path) => look.real(path) ?? [])) }),
  };
}

/** What counts as nothing, such as a place that another run holds, has nothing to hide. */
function hiddenPaths(wanted: readonly string[], look: DiskLook): TypedPath[] {
  const found = sorted(wanted.flatMap((path) => look.real(withoutSlash(path)) ?? [])).flatMap((path): TypedPath[] => {
    const kind = look.kind(path);
    return kind === undefined ? [] : [{ path, kind: kind === 'directory' ? 'directory' : 'file' }];
  });
  return found.filter(({ path }) => !found.some((other) => other.path !== path && isInside(other.path, path)));
}

/** The path with the links on its way resolved, up to itself or to the first part that is not there. */
function resolveAsFarAsPossible(wanted: string, look: DiskLook) {
  const parts = wanted.split('/').slice(1);
  let path = '/';
  for (const [index, part] of parts.entries()) {
    path = join(look.real(path) ?? path, part);
    const kind = look.kind(path);
    const isLast = index === parts.length - 1;
    if (kind === undefined || isLast) return { path, kind, isLast };
  }
  return { path, kind: 'directory' as const, isLast: true };
}

/** The directories above `path` inside a writable one: renaming them would move the protected path away. */
function foldersBetween(roots: readonly string[], path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); roots.some((root) => root !== folder && isInside(root, folder)); ) {
    folders.push(folder);
    folder = dirname(folder);
  }
  return folders;
}

function withoutSlash(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, '') : path;
}

/** Parents before their children. */
function sorted(paths: Iterable<string>): string[] {
  return [...new Set(paths)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}
