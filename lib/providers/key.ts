// A provider's key: read when it is needed, from a variable or a file that the settings name, never kept, and sent to
// that provider only. A key that no header could carry is refused here, where no message quotes it.
import { OllmError } from '../errors/index.ts';

/** Where a key is to be found. */
export interface KeyPlaces {
  /** The name of the variable, if one is asked. */
  readonly variable?: string | undefined;
  /** The path of the file, if one is named. */
  readonly file?: string | undefined;
  /** The value of the variable. */
  readonly fromVariable: () => string | undefined;
  /** The text of the file; undefined if it cannot be read. */
  readonly fromFile?: (() => string | undefined) | undefined;
}

/** Who wants it, and how one gets it. */
interface KeyIssuer {
  /** The provider's name. */
  readonly provider: string;
  /** Where one gets a key. */
  readonly site?: string | undefined;
  /** How a key is set, where that is not as usual. */
  readonly hint?: string | undefined;
}

/** The key as it is now, or undefined if there is none. The variable wins. */
export function readKey(places: KeyPlaces, issuer: KeyIssuer): string | undefined {
  const key = trimmed(places.fromVariable()) ?? trimmed(places.fromFile?.());
  if (key === undefined || /^[\x21-\x7e]+$/.test(key)) return key;
  throw new OllmError(
    'PROVIDER_KEY',
    `The key for ${issuer.provider} from ${placesOf(places)} holds spaces or characters that no key has.`,
    { hint: 'Set it again: the key alone, on one line.', data: { provider: issuer.provider } },
  );
}

export function missingKey(places: KeyPlaces, issuer: KeyIssuer): OllmError {
  return keyError(`needs a key, and there is none in ${placesOf(places)}.`, places, issuer);
}

/** The server's answer about the key. */
interface KeyRefusal {
  /** Quoted already. */
  readonly said: string;
  /** The status of the HTTP answer, if there is one. */
  readonly status?: number | undefined;
  /** Whether the request had a key. */
  readonly hasKey: boolean;
}

export function refusedKey(places: KeyPlaces, issuer: KeyIssuer, { said, status, hasKey }: KeyRefusal): OllmError {
  if (!hasKey) return keyError(`wants a key, and none is set (${said}).`, places, issuer, { status });
  const advice = 'Check that it is complete, still valid, and allowed to use this model. ';
  return keyError(`refused the key from ${placesOf(places)} (${said}).`, places, issuer, { status, advice });
}

function keyError(
  what: string,
  places: KeyPlaces,
  { provider, site, hint }: KeyIssuer,
  { status, advice = '' }: { readonly status?: number | undefined; readonly advice?: string } = {},
): OllmError {
  const { variable, file } = places;
  return new OllmError('PROVIDER_KEY', `The provider ${provider} ${what}`, {
    hint: hint ?? `${advice}${site ? `Get one at ${site}. ` : ''}${setIt(places)}`,
    data: { provider, status, ...(variable && { variable }), ...(file && { file }) },
  });
}

function trimmed(text: string | undefined): string | undefined {
  return text?.trim() || undefined;
}

function placesOf({ variable, file }: KeyPlaces): string {
  const places = [...(variable ? [`the variable ${variable}`] : []), ...(file ? [`the file ${file}`] : [])];
  return places.join(' or ') || 'the settings';
}

function setIt({ variable, file }: KeyPlaces): string {
  if (variable) return `Then: export ${variable}=…`;
  return file
    ? `Put it into ${file}, the key alone.`
    : 'Set apiKeyEnv of the provider to the name of the variable that holds the key.';
}
