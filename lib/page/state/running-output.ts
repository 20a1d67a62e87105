// The output of running calls since this page follows them. It is not kept: the whole output comes with
// their end.
import { tellChanged, useChanging } from '../api/changing.ts';

/** The most characters of one call: more than its box shows. */
const MOST_CHARACTERS = 4096;
const MOST_LINES = 6;

const outputs = new Map<string, string>();
const CHANGED = 'ollm:output';
let frame: number | undefined;

export function noteOutput(callId: string, text: string): void {
  outputs.set(callId, ((outputs.get(callId) ?? '') + text).slice(-MOST_CHARACTERS));
  if (frame !== undefined) return;
  frame = requestAnimationFrame(() => {
    frame = undefined;
    tellChanged(CHANGED);
  });
}

/** Forgets the output of one call, or of all. */
export function forgetOutput(callId?: string): void {
  if (callId === undefined) outputs.clear();
  else outputs.delete(callId);
}

/** The last lines. */
export function useRunningOutput(callId: string): string {
  const text = useChanging(CHANGED, () => outputs.get(callId) ?? '', [callId]);
  return text.replace(/\n$/, '').split('\n').slice(-MOST_LINES).join('\n');
}
