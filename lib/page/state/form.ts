import { useState } from 'preact/hooks';
import { wordsOfError } from '../api/server.ts';

/** Sends what a form has, once at a time; the last problem goes when it is sent again. */
export function useForm(work: () => Promise<void>, wordsOf: (error: unknown) => string = wordsOfError) {
  const [isSending, setIsSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const send = async (): Promise<void> => {
    if (isSending) return;
    setIsSending(true);
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(wordsOf(error));
    }
    setIsSending(false);
  };
  return { isSending, problem, send };
}
