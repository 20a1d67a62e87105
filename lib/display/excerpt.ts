/** As much of a text as there is room for, with a sign where more follows; no character is cut in two. */
export function excerpt(text: string, maxCharacters = 200): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters).toWellFormed()}…`;
}
