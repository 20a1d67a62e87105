// Filters of a search that nothing passes, as they were perhaps meant: a word of a title, a project or a path that is
// in none of them is replaced by one that differs by a letter, as a word of the search is.
import type { DatabaseSync } from 'node:sqlite';
import type { Narrowing, SearchRequest, WantedProject } from './search-request.ts';
import { corrected, isWordIn, spellingOf } from './spelling.ts';

/** The line of the request has these filters too. */
type MeantRequest = SearchRequest & { readonly typed: string };

const WORD = /\p{L}+/gu;

/**
 * Undefined where no word of a filter is unknown and near a known one.
 *
 * @example
 * meantFilters(database, { text: 'deadlock', title: 'relaese' })?.typed; // 'deadlock title:"release"'
 */
export function meantFilters(database: DatabaseSync, request: SearchRequest): MeantRequest | undefined {
  const corrections = new Map<string, string>();
  const meant = (place: 'texts' | 'names') => (value: string) =>
    value.replace(WORD, (word) => {
      const known = corrections.get(word) ?? (isWordIn(database, place, word) ? word : undefined);
      const spelling = known ?? spellingOf(database, word, [place]);
      if (spelling !== undefined && spelling !== word) corrections.set(word, spelling);
      return spelling ?? word;
    });
  const [name, path] = [meant('names'), meant('texts')];
  const { within, title, path: typedPath } = request;
  const changed: SearchRequest = {
    ...request,
    title: title && name(title),
    path: typedPath && path(typedPath),
    within:
      within &&
      ({
        ...within,
        titles: within.titles?.map(name),
        paths: within.paths?.map(path),
        projects: within.projects?.map(
          (project): WantedProject => ('name' in project ? { name: name(project.name) } : project),
        ),
      } satisfies Narrowing),
  };
  if (corrections.size === 0) return undefined;
  const options = [
    ...(title === changed.title ? [] : [`title:"${changed.title}"`]),
    ...(typedPath === changed.path ? [] : [`path:"${changed.path}"`]),
  ];
  const line = [corrected(request.typed ?? request.text, corrections), ...options]
    .filter((part) => part !== '')
    .join(' ');
  return { ...changed, typed: line };
}
