// A title for a session without a name: the first line of its first message, short enough for a list. Pure.

const MAX_TITLE_LENGTH = 60;

/** Undefined if the text has nothing to name a session after. */
export function titleFrom(text: string): string | undefined {
  const line = text
    .slice(0, 4096)
    .split('\n')
    .map(tidy)
    .find((candidate) => candidate !== '');
  return line === undefined ? undefined : shorten(line);
}

/** Without marks of headings, quotes and lists at its start, without what a terminal would act on. */
function tidy(line: string): string {
  return line
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ')
    .replace(/^[\s#>*`-]+/, '')
    .trim();
}

function shorten(line: string): string {
  const characters = [...line];
  if (characters.length <= MAX_TITLE_LENGTH) return line;
  const cut = characters.slice(0, MAX_TITLE_LENGTH - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > MAX_TITLE_LENGTH / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}
