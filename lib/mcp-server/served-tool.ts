// A tool as the server offers it: it reads, and changes nothing.

export interface ServedAnswer {
  /** Stored text. */
  readonly quoted: string;
  /** ollm's own words about it, a sentence each. */
  readonly notes: readonly string[];
}

export interface ServedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema of the arguments: an object. They are held against it before `run` sees them. */
  readonly parameters: object;
  /** @throws OllmError, ToolFailure: its message is the answer, marked as an error */
  run(args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ServedAnswer>;
}

/** How many results a client may ask for. */
export function limitSchema(most: number, usual: number): object {
  return { type: 'integer', minimum: 1, maximum: most, description: `Most results. Default: ${usual}.` };
}

const DAY_MS = 86_400_000;

export const SINCE_DAYS_SCHEMA = {
  type: 'number',
  exclusiveMinimum: 0,
  maximum: 36_500,
  description: 'Only what is at most this many days old.',
} as const;

/** Milliseconds since 1970. */
export function sinceOf(days: unknown, now: number): number | undefined {
  return typeof days === 'number' ? now - days * DAY_MS : undefined;
}
