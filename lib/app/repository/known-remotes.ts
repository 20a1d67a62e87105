// The remotes of directories, as lists, searches and clients of a server count clones by them: those that the catalogue
// stored when sessions were indexed, which hold after a move. Only a directory of which it has none is looked at.
import { kept } from '../../platform/once.ts';
import type { App } from '../app.ts';
import { remoteOf } from './git-state.ts';

/** By directory, that of the newest session first. */
export type StoredRemotes = ReadonlyMap<string, readonly string[]>;

/** A directory usually has one, and several after its repository got another remote. */
export type RemotesOf = (directory: string) => readonly string[];

const STORED = `
  SELECT project, remote FROM sessions WHERE remote IS NOT NULL AND project IS NOT NULL
  GROUP BY project, remote ORDER BY max(last_activity) DESC`;

/** Empty where the catalogue cannot be asked. */
export async function storedRemotes({ catalog }: Pick<App, 'catalog'>): Promise<StoredRemotes> {
  const asked = await catalog.ask((database) => database.prepare(STORED).all());
  const rows = asked.kind === 'done' ? asked.value : [];
  const byDirectory = Map.groupBy(rows, ({ project }) => String(project));
  return new Map([...byDirectory].map(([project, some]) => [project, some.map(({ remote }) => String(remote))]));
}

/** Looks at each directory at most once. */
export function knownRemotes({ fileSystem }: Pick<App, 'fileSystem'>, stored: StoredRemotes): RemotesOf {
  const looked = new Map<string, readonly string[]>();
  const look = (directory: string) => {
    const remote = remoteOf(fileSystem, directory);
    return remote === undefined ? [] : [remote];
  };
  return (directory) => stored.get(directory) ?? kept(looked, directory, look);
}
