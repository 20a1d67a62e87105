// The places that programs need which only read: the system's own programs and libraries, and the directories of PATH
// with the installations that they are a part of. Of the system's settings only those that programs look up for
// names, time and characters. Never a home directory, nor what personal programs have in ~/.local.
import { basename, dirname, join } from 'node:path';
import { isInside } from '../../platform/files/inside.ts';
import type { DiskLook } from './scope-paths.ts';

const SYSTEM: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: [
    ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix', '/gnu', '/snap'],
    ...`alternatives static ld.so.cache ld.so.conf ld.so.conf.d ld.so.preload nsswitch.conf passwd group localtime timezone
      locale.alias locale.conf default/locale os-release magic mime.types terminfo inputrc`
      .split(/\s+/)
      .map((name) => `/etc/${name}`),
  ],
  darwin: [
    ...['/usr', '/bin', '/sbin', '/opt', '/nix', '/System', '/Library', '/Applications/Xcode.app', '/dev'],
    ...['/private/etc', '/private/var/db', '/private/var/select'],
  ],
};

interface ToolchainOptions {
  readonly platform: NodeJS.Platform;
  /** The absolute entries of PATH. */
  readonly path: readonly string[];
  /** The user's own directory. */
  readonly home: string;
  readonly look: DiskLook;
}

/**
 * @example
 * toolchainPlaces({ platform: 'linux', path: ['/home/me/.nvm/versions/node/v24/bin'], home: '/home/me', look });
 * // ['/usr', '/bin', …, '/home/me/.nvm/versions/node/v24/bin', '/home/me/.nvm/versions/node/v24']
 */
export function toolchainPlaces({ platform, path, home, look }: ToolchainOptions): readonly string[] {
  const isHome = (place: string) => [home, look.real(home) ?? home].some((each) => isInside(place, each));
  const ofPath = path.flatMap((entry) => {
    const real = look.real(entry);
    if (real === undefined || isHome(real)) return [];
    return [entry, real, ...installationOf(real, isHome, home, look)];
  });
  return [...new Set([...(SYSTEM[platform] ?? []), ...ofPath])];
}

/** `bin` next to `lib` is the form of an installation, and of a project too; a repository is therefore left out. */
function installationOf(entry: string, isHome: (place: string) => boolean, home: string, look: DiskLook): string[] {
  const place = dirname(entry);
  if (!['bin', 'sbin'].includes(basename(entry)) || isHome(place) || place === join(home, '.local')) return [];
  const names = look.names(place);
  return names.some((name) => name === 'lib' || name === 'libexec') && !names.includes('.git') ? [place] : [];
}
