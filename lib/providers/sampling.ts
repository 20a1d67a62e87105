// How a model picks its words, where the user says so: one set of names for the wires of all providers. A provider
// leaves out what its wire does not have, and says which of it that is.
export const SAMPLING_NAMES = ['temperature', 'topP', 'seed', 'stop'] as const;

export type SamplingName = (typeof SAMPLING_NAMES)[number];

export interface Sampling {
  readonly temperature?: number | undefined;
  /** Share of the likeliest words that are considered. */
  readonly topP?: number | undefined;
  readonly seed?: number | undefined;
  /** Texts at which the answer ends. */
  readonly stop?: readonly string[] | undefined;
  /** How long a local server keeps the model in memory after the answer, such as `10m`; `-1` is for ever. */
  readonly keepAlive?: string | undefined;
}

/** The given settings that make no difference to the request. `bodyOf`: the body that would be sent. */
export async function unsentOf(
  sampling: Sampling,
  bodyOf: (sampling: Sampling) => Promise<string>,
): Promise<readonly SamplingName[]> {
  const given = SAMPLING_NAMES.filter((name) => sampling[name] !== undefined);
  const all = given.length === 0 ? '' : await bodyOf(sampling);
  const unsent: SamplingName[] = [];
  for (const name of given) if ((await bodyOf({ ...sampling, [name]: undefined })) === all) unsent.push(name);
  return unsent;
}
