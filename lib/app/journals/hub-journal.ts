// The journal that remembers which sessions were imported: $OLLM_HOME/hub/imports.jsonl.
import { join } from 'node:path';
import type { HubJournal } from '../../hub/imported-before.ts';
import { openLocalStore } from '../../stores/local-disk-only.ts';
import type { App } from '../app.ts';
import { placeOf } from './place.ts';

/** The ports that it needs. */
export type HubPorts = Pick<App, 'paths' | 'config' | 'fileSystem' | 'clock' | 'ids' | 'process' | 'log'> &
  Partial<Pick<App, 'servers'>>;

/** A separate directory: that of a store holds nothing else, and belongs only to its user. */
export function hubJournal({ paths, config, servers, fileSystem, clock, ids, process, log }: HubPorts): HubJournal {
  const directory = join(paths.home, 'hub');
  const { allowNetworkFileSystem } = config.services.session;
  const store = openLocalStore({ fileSystem, clock, ids, process, log }, { directory, allowNetworkFileSystem });
  return { store, sessions: placeOf({ servers, paths }) };
}
