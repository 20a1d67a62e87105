// Where the grants of this run are: in the file of the project that we stand in, or in memory alone where nothing is kept.
import { systemErrorCode } from '../../errors/index.ts';
import { createSessionGrants, type GrantStore } from '../../tools/policy/grants.ts';
import type { App } from '../app.ts';
import { openGrantsFile } from './grants-file.ts';

type Place = Pick<App, 'mode' | 'paths' | 'fileSystem' | 'ids' | 'clock' | 'process'>;

/**
 * What the user granted for good in this project. In ephemeral mode: what he grants while this runs.
 *
 * @example
 * openGrants(app).list(); // [{ number: 1, rule: 'bash(npm test)', grantedAt: '2026-11-22T10:00:00.000Z' }]
 */
export function openGrants({ mode, paths, fileSystem, ids, clock, process }: Place): GrantStore {
  if (mode === 'ephemeral') return createSessionGrants(() => clock.now());
  const root = realRoot(fileSystem, paths.project);
  return openGrantsFile({ home: paths.home, root, fileSystem, ids, clock, uid: process.uid });
}

/** The same project has the same grants, whichever link led here. */
function realRoot(fileSystem: Place['fileSystem'], path: string): string {
  try {
    return fileSystem.realPath(path);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return path;
  }
}
