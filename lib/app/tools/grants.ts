// Where the grants of this run are: in the file of the project that we stand in, or in memory alone where nothing is
// kept.
import { realPathOf } from '../../platform/files/io.ts';
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
  // The same project has the same grants, whichever link led here.
  const root = realPathOf(fileSystem, paths.project) ?? paths.project;
  return openGrantsFile({ home: paths.home, root, fileSystem, ids, clock, uid: process.uid });
}
