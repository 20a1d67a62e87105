// The user's directories for files of programs, by the XDG Base Directory Specification.
import { isAbsolute, join } from 'node:path';

const USUAL = { config: '.config', data: '.local/share', state: '.local/state', cache: '.cache' } as const;

interface InHome {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/**
 * `usual`: where the variable says nothing. An empty variable counts as unset, and one that is not an absolute path is
 * ignored: its place would depend on the current directory, and could be in a project.
 *
 * @example
 * xdgDirectory('config', { env: { XDG_CONFIG_HOME: '/settings' }, home: '/home/me' }); // '/settings'
 * xdgDirectory('data', { env: {}, home: '/home/me' }); // '/home/me/.local/share'
 */
export function xdgDirectory(
  kind: keyof typeof USUAL,
  { env, home }: InHome,
  usual: string = join(home, USUAL[kind]),
): string {
  const named = env[`XDG_${kind.toUpperCase()}_HOME`] ?? '';
  return isAbsolute(named) ? named : usual;
}
