// Takes secrets out of events before they are stored: nothing is removed from a journal afterwards. An event of its own
// says how many of which kind were found, never their values.
import type { Redaction, Redactor } from '../environment/redact.ts';
import { redactLong } from '../environment/redact-long.ts';
import type { NewOllmEvent } from '../events/index.ts';
import type { Part } from '../messages/index.ts';

export interface Scrubber {
  text(text: string): string;
  /** A text of any length, in slices. */
  long(text: string): Promise<string>;
  parts(parts: readonly Part[]): Part[];
  /** JSON as a model gave it: in every string of it. */
  json<Value>(value: Value): Value;
  /** What to append for all that was found. */
  findings(where: string, turn?: number): NewOllmEvent[];
}

/** Without a redactor everything stays as it is. */
export function createScrubber(redactor: Redactor | undefined): Scrubber {
  const counts = new Map<string, number>();
  const noted = ({ text: clean, found }: Redaction): string => {
    for (const { kind, count } of found) counts.set(kind, (counts.get(kind) ?? 0) + count);
    return clean;
  };
  const text = (raw: string): string => (redactor === undefined ? raw : noted(redactor.redact(raw)));
  return {
    text,
    long: async (raw) => (redactor === undefined ? raw : noted(await redactLong(redactor, raw))),
    parts: (parts) =>
      parts.map((part): Part => {
        if (part.type !== 'text' && part.type !== 'reasoning') return part;
        return part.text === undefined ? part : { ...part, text: text(part.text) };
      }),
    json: (value) => (redactor === undefined ? value : inEveryString(value, text)),
    findings: (where, turn) =>
      [...counts].map(
        ([kind, count]): NewOllmEvent => ({ type: 'secret.redacted', turn, data: { where, kind, count } }),
      ),
  };
}

function inEveryString<Value>(value: Value, change: (text: string) => string): Value {
  // Keys stay: they are the tool's own words.
  return JSON.parse(JSON.stringify(value), (_key, inner: unknown) =>
    typeof inner === 'string' ? change(inner) : inner,
  ) as Value;
}
