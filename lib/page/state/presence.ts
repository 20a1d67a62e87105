import { useEffect } from 'preact/hooks';
import { tellChanged, useChanging } from '../api/changing.ts';

const CHANGED = 'ollm:composer';
let composers = 0;

/** Says that a composer is on the page for as long as the component is. */
export function useIsComposer(): void {
  useEffect(() => {
    composers += 1;
    tellChanged(CHANGED);
    return () => {
      composers -= 1;
      tellChanged(CHANGED);
    };
  }, []);
}

/** Whether there is a composer to skip to. */
export function useHasComposer(): boolean {
  return useChanging(CHANGED, () => composers > 0);
}

/** A key so soon before or after a question was meant for something else. */
export const DEAF_MS = 500;

let questionEndedAt = Number.NEGATIVE_INFINITY;

export function noteQuestionEnd(): void {
  questionEndedAt = performance.now();
}

/** Whether a question was there a moment ago: a second `n` must not lead to another view. */
export function wasJustAsked(): boolean {
  return performance.now() - questionEndedAt < DEAF_MS;
}
