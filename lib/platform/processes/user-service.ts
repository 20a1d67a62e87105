// A program in the background for one user, from each login on, as the manager of services of the system reads it: a
// unit of systemd, or a property list of launchd. A failed program is started again; one that ends in order is not.

/** The program, and its surroundings. */
export interface UserService {
  /** Letters and hyphens. */
  readonly name: string;
  /** A sentence without its full stop. */
  readonly description: string;
  /** The command line. The first word is an absolute path. */
  readonly words: readonly string[];
  /** Variables, added to those of each service of the user. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * A unit of systemd.
 *
 * @example
 * systemdUnit({ name: 'tick', description: 'Ticks', words: ['/usr/bin/tick'], env: {} }); // [Unit]\nDescription=Ticks…
 */
export function systemdUnit({ description, words, env }: UserService): string {
  return [
    '[Unit]',
    `Description=${description}`,
    '',
    '[Service]',
    // Systemd puts the values of variables into these words, and into no others.
    `ExecStart=${words.map((word) => quoted(word.replaceAll('$', '$$$$'))).join(' ')}`,
    ...Object.entries(env).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    'Restart=on-failure',
    // How a program of Node ends in order at the signal of systemd.
    'SuccessExitStatus=143',
    'Nice=10',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n');
}

/** As systemd reads a word: with the escapes of C, and `%` for names of its own. */
function quoted(word: string): string {
  const escaped = word.replace(/["\\]/g, String.raw`\$&`).replaceAll('%', '%%');
  return `"${escaped.replace(CONTROL, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`)}"`;
}

const CONTROL = /[\0-\x1f\x7f]/g;

/** A property list of launchd, for an agent of the user. @throws RangeError: XML has no form for a character in it */
export function launchAgent({ name, words, env }: UserService): string {
  const variables = Object.entries(env).flatMap(([key, value]) => [keyOf(key), textOf(value)]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    ...[keyOf('Label'), textOf(name)],
    ...[keyOf('ProgramArguments'), '<array>', ...words.map(textOf), '</array>'],
    ...(variables.length === 0 ? [] : [keyOf('EnvironmentVariables'), '<dict>', ...variables, '</dict>']),
    ...[keyOf('RunAtLoad'), '<true/>'],
    ...[keyOf('KeepAlive'), '<dict>', keyOf('SuccessfulExit'), '<false/>', '</dict>'],
    ...[keyOf('ProcessType'), textOf('Background')],
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
}

function keyOf(text: string): string {
  return `<key>${escaped(text)}</key>`;
}

function textOf(text: string): string {
  return `<string>${escaped(text)}</string>`;
}

const NOT_IN_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/u;

function escaped(text: string): string {
  if (NOT_IN_XML.test(text)) throw new RangeError('XML has no form for a character in it.');
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#13;');
}
