// Takes passages of sessions out of their file after the catalogue, which they are made of, has lost its text. All that
// erases sessions from the catalogue calls it, so that no text stays in one of the two files.
import type { CataloguedName } from '../../catalog/catalog.ts';
import type { App } from '../app.ts';

/** Erases those of all sessions without `sessions`. Returns whether that was possible. */
export async function erasePassages(app: App, sessions?: readonly CataloguedName[]): Promise<boolean> {
  const passages = await app.passages();
  if (passages === undefined) return true;
  if (sessions === undefined) return passages.forget();
  let isOut = true;
  for (const [directory, some] of Map.groupBy(sessions, (each) => each.directory)) {
    const names = some.map(({ agent, id }) => `${agent}:${id}`);
    isOut = (await passages.forget({ directory, names })) && isOut;
  }
  return isOut;
}
