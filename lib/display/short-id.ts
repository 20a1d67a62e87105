// How a person is shown the id of a session: a random one by its beginning, which every command takes as well. An id
// that begins with a time stays whole, since others of the same hour begin like it.

const RANDOM_UUID = /^([0-9a-f]{8})-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** In the name of a file an id stays whole. */
const ID_IN_TEXT = /(?<![\w/\\.-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w/\\-]|\.\w)/g;

/** The first eight characters of a random UUID; any other id, such as a name, whole. */
export function shortId(id: string): string {
  return RANDOM_UUID.exec(id)?.[1] ?? id;
}

/** A sentence of ollm with the random ids in it short, as far as they can be told apart then. */
export function withShortIds(sentence: string): string {
  const ids = new Set(sentence.match(ID_IN_TEXT));
  const areDistinct = new Set([...ids].map((id) => id.slice(0, 8))).size === ids.size;
  return areDistinct ? sentence.replace(ID_IN_TEXT, shortId) : sentence;
}
