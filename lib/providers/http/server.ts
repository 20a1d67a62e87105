// What is known of a provider's server before it is asked: where it is, what proves who asks, and what to do when it fails.
import type { KeyPlaces } from '../key.ts';

export interface Server {
  /** The provider's name. */
  readonly name: string;
  /** What it is called in messages: “Anthropic”. */
  readonly title: string;
  /** Where its API is, without a slash at the end. */
  readonly baseUrl: string;
  /** Undefined if it wants no key, or another kind of proof. */
  readonly key?: KeyPlaces | undefined;
  /** Whether nothing works without a key. */
  readonly keyIsNeeded: boolean;
  /** Where one gets a key. */
  readonly keySite?: string | undefined;
  /** What else must not be repeated in a message. */
  readonly secrets?: (() => readonly string[]) | undefined;
  /** What to do, where the usual hint does not fit this server. */
  readonly hints?: Partial<ServerHints> | undefined;
}

export interface ServerHints {
  readonly unreachable: string;
  readonly silent: string;
  readonly redirected: string;
  readonly nonsense: string;
  readonly cutOff: string;
  /** Undefined where the places of the key say enough. */
  readonly key: string | undefined;
  readonly missingModel: (model: string) => string;
  /** Undefined where the usual hint does. */
  readonly refused: (message: string, status: number) => string | undefined;
}
