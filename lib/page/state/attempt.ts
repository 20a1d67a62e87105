import { useState } from 'preact/hooks';
import { wordsOfError } from '../api/server.ts';

export type Attempt = (work: () => Promise<void>) => Promise<void>;

/** Tries something, and keeps why it failed until something else worked. */
export function useAttempt(): { readonly attempt: Attempt; readonly problem: string | undefined } {
  const [problem, setProblem] = useState<string>();
  const attempt: Attempt = async (work) => {
    try {
      await work();
      setProblem(undefined);
    } catch (error) {
      setProblem(wordsOfError(error));
    }
  };
  return { attempt, problem };
}
