// What a seal states of the beginning of a journal, as the text that is signed: lines of a name and a value, so that it
// can be read, and compared with the file, by anybody who has `head` and `sha256sum`.

/** The purpose that signatures of seals are bound to: `ssh-keygen -Y verify -n ollm-journal`. */
export const SEAL_NAMESPACE = 'ollm-journal';

const FIRST_LINE = 'ollm seal 1';
const MEMBERS = ['session', 'events', 'through', 'checksum', 'bytes', 'sha256', 'sealed'] as const;

/** The head of a journal at the moment of its sealing. */
export interface SealStatement {
  readonly session: string;
  /** Number of events. */
  readonly events: number;
  /** seq of the last one. */
  readonly through: number;
  /** `xxh64` of the last line: the end of the chain of checksums. */
  readonly checksum: string;
  /** Length of the file up to the LF of the last line. */
  readonly bytes: number;
  /** Hex, of these bytes. */
  readonly sha256: string;
  /** RFC 3339, UTC. By the clock of the machine that signed. */
  readonly sealed: string;
}

/**
 * The text that is signed.
 *
 * @example
 * statementText({ session: 'notes', events: 7, through: 6, … }); // 'ollm seal 1\nsession notes\nevents 7\n…'
 */
export function statementText(statement: SealStatement): string {
  return `${[FIRST_LINE, ...MEMBERS.map((name) => `${name} ${statement[name]}`)].join('\n')}\n`;
}

/** Undefined for a text that `statementText` does not write. */
export function parseStatement(text: string): SealStatement | undefined {
  const [first, ...lines] = text.split('\n');
  if (first !== FIRST_LINE) return undefined;
  const values = new Map(lines.map((line) => [line.split(' ', 1)[0] ?? '', line.slice(line.indexOf(' ') + 1)]));
  const textOf = (name: string): string => values.get(name) ?? '';
  const number = (name: string): number => Number(textOf(name));
  const statement = {
    session: textOf('session'),
    events: number('events'),
    through: number('through'),
    checksum: textOf('checksum'),
    bytes: number('bytes'),
    sha256: textOf('sha256'),
    sealed: textOf('sealed'),
  };
  return statementText(statement) === text && Number.isFinite(Date.parse(statement.sealed)) ? statement : undefined;
}
