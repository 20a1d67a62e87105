// A server's words, made fit for a message of ollm.

const MAX_QUOTED_CHARACTERS = 300;

/**
 * On one line, without control characters, not too long, and without a full stop of its own.
 *
 * @param secrets what must not be repeated: servers like to quote a key that they refuse
 */
export function quoted(text: string, secrets: readonly string[] = []): string {
  const line = concealed(text, secrets)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  const short = line.length > MAX_QUOTED_CHARACTERS ? `${line.slice(0, MAX_QUOTED_CHARACTERS).toWellFormed()}…` : line;
  return short.replace(/\.$/, '') || 'nothing said';
}

/** The text with `[key]` in place of each secret. */
function concealed(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, '[key]')), text);
}
