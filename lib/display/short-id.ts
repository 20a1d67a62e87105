// How a person is shown the id of a session: a random one by its beginning, which every command takes as well.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The first eight characters of a UUID; any other id, such as a name, whole. */
export function shortId(id: string): string {
  return UUID.test(id) ? id.slice(0, 8) : id;
}
