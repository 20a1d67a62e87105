// The facts of a provider's server that are known before it is asked: its address, its key, and what to do when it
// fails.
import type { KeyPlaces } from '../key.ts';

export interface ProviderServer {
  /** The provider's name. */
  readonly name: string;
  /** The name in messages: “Anthropic”. */
  readonly title: string;
  /** The protocol that it is expected to speak, if `title` is only the user's name for it. */
  readonly protocol?: string | undefined;
  /** The address of its API, without a slash at the end. */
  readonly baseUrl: string;
  /** Undefined if it wants no key, or another kind of proof. */
  readonly key?: KeyPlaces | undefined;
  /** Whether nothing works without a key. */
  readonly keyIsNeeded: boolean;
  /** The page on which the vendor gives out keys. */
  readonly keySite?: string | undefined;
  /** Further secrets that no message may repeat. */
  readonly secrets?: (() => readonly string[]) | undefined;
  /** Hints in place of the usual ones. */
  readonly hints?: Partial<ServerHints> | undefined;
}

export interface ServerHints {
  readonly unreachable: string;
  readonly silent: string;
  readonly redirected: string;
  readonly nonsense: string;
  readonly cutOff: string;
  /** The connection ended before a piece of an answer. */
  readonly noAnswer: string;
  /** Undefined where the places of the key say enough. */
  readonly key: string | undefined;
  readonly missingModel: (model: string) => string;
  /** Undefined where the usual hint does. */
  readonly refused: (message: string, status: number) => string | undefined;
}
