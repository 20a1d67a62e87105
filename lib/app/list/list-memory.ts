// What a program that lists again and again remembers of the list before.
import { ChangedNames } from '../../platform/disks/changed-names.ts';
import type { App } from '../app.ts';
import { ArrangedRows } from './arranged-rows.ts';
import { ForeignDrafts } from './foreign-drafts.ts';
import type { ListMemory } from './list-all.ts';
import { OwnRows } from './own-rows.ts';

/** Ends with the app. */
export function openListMemory(app: App): ListMemory {
  const { servers, mode, paths } = app;
  const isDirectory = servers === undefined && mode !== 'ephemeral';
  const changes = isDirectory ? new ChangedNames(paths.sessions, app) : undefined;
  app.onClose(async () => changes?.close());
  return {
    own: new OwnRows(app, { changes }),
    foreign: new ForeignDrafts(app),
    arranged: new ArrangedRows(),
  };
}
