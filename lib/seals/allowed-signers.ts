// The list of keys that a checker trusts: the file of `ssh-keygen`, section ALLOWED SIGNERS of its manual page. A line
// with an option that is unknown here, such as `cert-authority`, is skipped.
import { fingerprintOf } from './ssh-key.ts';

/** A key that may sign, and whose it is. */
export interface AllowedSigner {
  readonly principals: string;
  readonly fingerprint: string;
  /** Milliseconds since 1970: when signatures of this key count. */
  readonly afterMs: number;
  readonly beforeMs: number;
}

const LINE =
  /^(?<principals>"[^"]*"|\S+)\s+(?:(?<options>[a-z-]+(?:="[^"]*")?(?:,[a-z-]+(?:="[^"]*")?)*)\s+)?(?<type>[a-z][a-z0-9@.-]*-[a-z0-9@.-]+)\s+(?<key>[A-Za-z0-9+/=]+)/;
const OPTION = /([a-z-]+)(?:="([^"]*)")?/g;

/**
 * The signers that may sign in a namespace.
 *
 * @example
 * parseAllowedSigners('ann@example.org ssh-ed25519 AAAAC3…', 'ollm-journal');
 * // [{ principals: 'ann@example.org', fingerprint: 'SHA256:…', afterMs: -Infinity, beforeMs: Infinity }]
 */
export function parseAllowedSigners(text: string, namespace: string): AllowedSigner[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const { principals, options = '', key } = LINE.exec(line.trim())?.groups ?? {};
    if (principals === undefined || key === undefined || principals.startsWith('#')) return [];
    const limits = limitsOf(options, namespace);
    if (limits === undefined) return [];
    const fingerprint = fingerprintOf(Buffer.from(key, 'base64'));
    return [{ principals: principals.replaceAll('"', ''), fingerprint, ...limits }];
  });
}

function limitsOf(options: string, namespace: string): Pick<AllowedSigner, 'afterMs' | 'beforeMs'> | undefined {
  let afterMs = Number.NEGATIVE_INFINITY;
  let beforeMs = Number.POSITIVE_INFINITY;
  for (const [, name, value = ''] of options.matchAll(OPTION)) {
    if (name === 'namespaces') {
      if (!value.split(',').some((pattern) => isLike(namespace, pattern))) return undefined;
    } else if (name === 'valid-after') afterMs = timeOf(value);
    else if (name === 'valid-before') beforeMs = timeOf(value);
    else return undefined;
  }
  return Number.isNaN(afterMs) || Number.isNaN(beforeMs) ? undefined : { afterMs, beforeMs };
}

function isLike(text: string, pattern: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`).test(text);
}

const TIME = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(Z?)$/;

/** `YYYYMMDD` or `YYYYMMDDHHMM[SS]`, of this machine's zone unless it ends with Z. NaN for anything else. */
function timeOf(value: string): number {
  const [, year, month, day, hour = '00', minute = '00', second = '00', zone = ''] = TIME.exec(value) ?? [];
  return year === undefined ? Number.NaN : Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
}
