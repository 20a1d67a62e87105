// The words that start this program in a process of its own.
import { resolve } from 'node:path';
import type { App } from '../../app/app.ts';
import type { Shell } from '../shell.ts';

export const NODE = process.execPath;
export const SCRIPT = process.argv[1] ?? 'ollm';

/** The flags of this run that decide where sessions are, from any directory. */
export function flagsOfPlaces({ flags }: Shell, app: App): string[] {
  return [
    ...(flags.config === undefined ? [] : ['--config', resolve(app.cwd, flags.config)]),
    ...(flags.home === undefined ? [] : ['--home', app.paths.home]),
    ...(flags.allowNetworkFs ? ['--allow-network-fs'] : []),
  ];
}
