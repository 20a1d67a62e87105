// The settings of a server, known before it is started: from the configuration, with everything looked up.
import { hash } from 'node:crypto';
import { shownAddress } from '../environment/shown-words.ts';
import { webAddress } from '../environment/web-address.ts';
import { canonicalJson } from '../platform/json.ts';

/** How a server is reached. */
export type Launch =
  /** `cwd`: absolute. */
  | {
      readonly kind: 'program';
      readonly command: readonly [string, ...string[]];
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'address';
      readonly url: URL;
      readonly token?: string | undefined;
      /** Sent with each request, as the token is. */
      readonly headers?: Readonly<Record<string, string>> | undefined;
      /** Whether it speaks the older form, with one stream of events for all answers. */
      readonly isStreamOnly?: boolean | undefined;
    };

export interface ServerSettings {
  /** The key in the configuration. */
  readonly name: string;
  /** Or why it cannot be started, as a sentence. */
  readonly launch: Launch | { readonly kind: 'refused'; readonly reason: string };
  /** Fingerprint of the program or address in the configuration: a different one is approved again. */
  readonly identity: string;
  /** Only these tools. Default: all. */
  readonly only?: readonly string[] | undefined;
}

/** `cwd` only where the configuration names it: else it is another one in each project. */
export function launchIdentity(configured: {
  readonly command?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
}): string {
  const { command = null, cwd = null, url = null } = configured;
  return hash('sha256', canonicalJson([command, cwd, url]), 'hex');
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** An address that a token may be sent to: https, or this machine. Undefined words: it is one. */
export function addressProblem(text: string): string | undefined {
  const url = webAddress(text);
  if (typeof url === 'string')
    return `Its address, ${JSON.stringify(shownAddress(text))}, cannot be used: ${url}. A token is in a variable that tokenEnv names.`;
  if (url.protocol === 'https:' || LOOPBACK.test(url.hostname)) return undefined;
  return `${url.protocol}//${url.host} is neither https nor this machine.`;
}
