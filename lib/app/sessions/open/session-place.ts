// What there is to know of the place where the sessions lie, before anything is promised about them: what kind of file
// system it is, whether a program copies it elsewhere in the background, and whether there is room for one more turn.
import { formatBytes } from '../../../display/quantities.ts';
import { OllmError } from '../../../errors/index.ts';
import { cloudServiceOf } from '../../../platform/disks/cloud-folder.ts';
import { fileSystemType } from '../../../platform/disks/file-system-kind.ts';
import { judgeSpace, NEEDED_BYTES } from '../../../platform/disks/free-space.ts';
import { spaceAt } from '../../../platform/disks/space-at.ts';
import type { App } from '../../app.ts';

type HomePlace = Pick<App, 'fileSystem' | 'paths'> & Partial<Pick<App, 'servers'>>;

/** Risks of the place, each as a sentence with an action. */
export function placeNotices({ fileSystem, paths, servers }: HomePlace): string[] {
  if (servers) return [];
  const directory = paths.sessions;
  const { kind, name } = fileSystemType(spaceAt(fileSystem, directory)?.type ?? 0);
  const service = cloudServiceOf(directory);
  const elsewhere = 'Set services.session.dataDir to a directory on a local disk.';
  return [
    ...(kind === 'memory'
      ? [`${directory} is in memory (${name}): sessions do not survive a restart of the machine. ${elsewhere}`]
      : []),
    ...(kind === 'network'
      ? [`${directory} is on a network file system (${name}): neither locks nor syncs can be relied on. ${elsewhere}`]
      : []),
    ...(service === undefined
      ? []
      : [
          `${directory} is kept in step with other machines by ${service}, which may copy or replace a journal while it is written. ${elsewhere}`,
        ]),
  ];
}

interface TurnSpace {
  /** Why no turn may begin. */
  readonly refusal?: OllmError;
  /** A notice for the user, shown once. */
  readonly notice?: string;
}

export function spaceForTurn({ fileSystem, paths, servers }: HomePlace): TurnSpace {
  if (servers) return {};
  const space = spaceAt(fileSystem, paths.sessions);
  if (space === undefined) return {};
  const free = formatBytes(space.freeBytes);
  switch (judgeSpace(space)) {
    case 'enough':
      return {};
    case 'low':
      return {
        notice: `Only ${free} are free on the disk of ${paths.sessions}; below ${formatBytes(NEEDED_BYTES)} no turn is begun. Free some space soon, or run "ollm prune --older-than 90d --purge".`,
      };
    case 'too little':
      return { refusal: noRoom(free, paths.sessions) };
  }
}

function noRoom(free: string, directory: string): OllmError {
  return new OllmError(
    'JOURNAL_FULL',
    `The turn was not begun: only ${free} are free on the disk of ${directory}, and a turn may need ${formatBytes(NEEDED_BYTES)}.`,
    {
      hint: 'Nothing was stored of it, and everything before it is there. Free some space, or run "ollm prune --older-than 90d --purge", and ask again.',
      data: { directory },
    },
  );
}
