// Both ends of a long text. The part between them is shown on demand.

const MOST_LINES = 12;
const MOST_CHARACTERS = 8192;

/** Undefined where all of it is short enough to be shown. */
export function endsOf(
  text: string,
): { readonly first: string; readonly last: string; readonly lines: number } | undefined {
  const lines = text.split('\n');
  const isLong = lines.length > MOST_LINES;
  if (!isLong && text.length <= MOST_CHARACTERS) return undefined;
  const most = MOST_CHARACTERS / 2;
  const first = isLong ? lines.slice(0, MOST_LINES / 2).join('\n') : text;
  const last = isLong ? lines.slice(-MOST_LINES / 2).join('\n') : text;
  return { first: first.slice(0, most).toWellFormed(), last: last.slice(-most).toWellFormed(), lines: lines.length };
}
