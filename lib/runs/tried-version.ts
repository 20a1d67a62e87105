// The versions of programs that ollm was tried with. An older program is refused before it is started, since a
// difference would be found only in the middle of a turn.
import { OllmError } from '../errors/index.ts';

export interface VersionedProgram {
  readonly program: string;
  /** Absolute. */
  readonly path: string;
  /** Undefined: it is not known, and is not compared. */
  readonly version: string | undefined;
  /** The oldest version that ollm was tried with. Undefined: it never was. */
  readonly oldest?: string | undefined;
  /** How its user gets a newer one, as a sentence. */
  readonly remedy: string;
}

/**
 * @example
 * requireTried({ program: 'qwen', path, version: '0.1.0', oldest: '0.24.4', remedy });
 * @throws OllmError AGENT_TOO_OLD
 */
export function requireTried({ program, path, version, oldest, remedy }: VersionedProgram): void {
  if (version === undefined || oldest === undefined || !isOlder(version, oldest)) return;
  const message = `${program} ${version} is older than ${oldest}, the oldest version that ollm was tried with: ${path}.`;
  throw new OllmError('AGENT_TOO_OLD', message, { hint: remedy, data: { program, path, version, oldest } });
}

/** By their first three numbers; a text of another form is not older. */
function isOlder(one: string, other: string): boolean {
  const [ones, others] = [numbersOf(one), numbersOf(other)];
  if (ones === undefined || others === undefined) return false;
  const differing = ones.findIndex((number, index) => number !== others[index]);
  return differing >= 0 && ones[differing]! < others[differing]!;
}

function numbersOf(version: string): readonly number[] | undefined {
  return /^v?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
}
