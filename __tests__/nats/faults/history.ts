// The acknowledgements of writers, compared with the final journal: a list of contradictions. Shares no code with the
// store.
import type { StoredEvent } from '../../../lib/journal/types.ts';

export interface Operation {
  readonly writer: string;
  /** Not given to any other append. */
  readonly text: string;
  /** Moments on one clock, in the order in which they happened. */
  readonly begun: number;
  ended?: number;
  /** `stored` with its seq; `refused`: nothing of it is there, and never will be; otherwise unknown. */
  outcome:
    | { readonly kind: 'stored'; readonly seq: number }
    | { readonly kind: 'refused' }
    | { readonly kind: 'unknown' };
}

/** A sentence for each contradiction. */
export function contradictions(
  operations: readonly Operation[],
  events: readonly Pick<StoredEvent, 'seq' | 'type' | 'data'>[],
): string[] {
  const found: string[] = [];
  const seqsOf = new Map<string, number[]>();
  for (const { seq, type, data } of events) {
    if (type !== 'message.added') continue;
    const text = String(data.text);
    seqsOf.set(text, [...(seqsOf.get(text) ?? []), seq]);
  }
  for (const [index, { seq }] of events.entries()) if (seq !== index) found.push(`seq ${seq} is at place ${index}`);

  const attempted = new Set(operations.map(({ text }) => text));
  for (const [text, seqs] of seqsOf) {
    if (!attempted.has(text)) found.push(`${text} was never appended`);
    if (seqs.length > 1) found.push(`doubled: ${text} is at ${seqs.join(' and ')}`);
  }
  for (const { text, outcome } of operations) {
    const [seq] = seqsOf.get(text) ?? [];
    if (outcome.kind === 'stored' && seq === undefined) found.push(`lost: ${text} was acknowledged as ${outcome.seq}`);
    if (outcome.kind === 'stored' && seq !== undefined && seq !== outcome.seq) {
      found.push(`${text} was acknowledged as ${outcome.seq}, and is at ${seq}`);
    }
  }
  const refused = operations.filter(({ text, outcome }) => outcome.kind === 'refused' && seqsOf.has(text));
  const retried = new Set(operations.filter(({ outcome }) => outcome.kind !== 'refused').map(({ text }) => text));
  for (const { text } of refused) if (!retried.has(text)) found.push(`${text} was refused, and is there`);

  const stored = operations.flatMap((each) =>
    each.outcome.kind === 'stored' && each.ended !== undefined
      ? [{ ...each, ended: each.ended, seq: each.outcome.seq }]
      : [],
  );
  const bySeq = new Map<number, string>();
  for (const { text, seq } of stored) {
    const other = bySeq.get(seq);
    if (other !== undefined && other !== text) found.push(`both succeeded: ${other} and ${text} as ${seq}`);
    bySeq.set(seq, text);
  }
  const byEnd = [...stored].sort((one, other) => one.ended - other.ended);
  let highest = -1;
  let next = 0;
  for (const each of [...stored].sort((one, other) => one.begun - other.begun)) {
    for (; next < byEnd.length && byEnd[next]!.ended < each.begun; next += 1)
      highest = Math.max(highest, byEnd[next]!.seq);
    if (each.seq >= highest) continue;
    // A retry is answered with the seq of the attempt that landed, which is none of those that were refused.
    const earlier = operations.filter(({ text, begun }) => text === each.text && begun < each.begun);
    if (earlier.some(({ outcome }) => outcome.kind !== 'refused')) continue;
    const what = earlier.length === 0 ? 'out of order' : 'was refused, and is there';
    found.push(`${what}: ${each.text} is at ${each.seq}, behind ${highest}`);
  }
  return found;
}
