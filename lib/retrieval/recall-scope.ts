// Where passages are looked for: which sources, and so which passages, a question may find.
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { PassageSource, SourceKind } from './passages.ts';

/** Where passages are looked for. */
export interface RecallScope {
  /** A directory, absolute: its files, and sessions in it or below it. Default: everything that is indexed. */
  readonly project?: string | undefined;
  /** Default: files and sessions. */
  readonly kind?: SourceKind | undefined;
}

export interface NumberedSource extends PassageSource {
  readonly number: number;
}

/** The sources that the scope covers, files before sessions, in the order in which they were first indexed. */
export function sourcesIn(database: DatabaseSync, scope: RecallScope): NumberedSource[] {
  return database
    .prepare('SELECT number, kind, home, name, project FROM sources ORDER BY kind, number')
    .all()
    .map(({ number, kind, home, name, project }) => ({
      number: Number(number),
      kind: kind as SourceKind,
      home: String(home),
      name: String(name),
      project: project === null ? undefined : String(project),
    }))
    .filter((source) => isInScope(source, scope));
}

/** Whether nothing is outside of the scope. */
export function isEverything(scope: RecallScope): boolean {
  return scope.kind === undefined && scope.project === undefined;
}

export function isInScope({ kind, home, name, project }: PassageSource, scope: RecallScope): boolean {
  if (scope.kind !== undefined && kind !== scope.kind) return false;
  if (scope.project === undefined) return true;
  const place = kind === 'file' ? join(home, name) : (project ?? '');
  return place === scope.project || place.startsWith(scope.project.endsWith('/') ? scope.project : `${scope.project}/`);
}
