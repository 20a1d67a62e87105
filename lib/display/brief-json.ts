// The beginning of a value as JSON, for one line on a screen. Takes time for the shown part, not for the whole value:
// an event may have a million members.

/**
 * What `JSON.stringify(value)` begins with: at least `maxCharacters`, or all of it. Takes values of JSON as deep as a
 * journal.
 *
 * @example
 * briefJson({ path: 'a.md' }, 80); // '{"path":"a.md"}'
 */
export function briefJson(value: unknown, maxCharacters: number): string {
  const pieces: string[] = [];
  let left = maxCharacters;
  const put = (piece: string) => {
    pieces.push(piece);
    left -= piece.length;
  };
  const write = (one: unknown): void => {
    if (typeof one !== 'object' || one === null) {
      put(
        typeof one === 'string' && one.length > left
          ? JSON.stringify(one.slice(0, left))
          : (JSON.stringify(one) ?? 'null'),
      );
      return;
    }
    const isList = Array.isArray(one);
    put(isList ? '[' : '{');
    let before = '';
    for (const name in one) {
      if (!Object.hasOwn(one, name)) continue;
      put(isList ? before : `${before}${JSON.stringify(name)}:`);
      write((one as Record<string, unknown>)[name]);
      before = ',';
      if (left <= 0) break;
    }
    put(isList ? ']' : '}');
  };
  write(value);
  return pieces.join('');
}
