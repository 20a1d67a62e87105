import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { onRetry } from './connection.ts';
import { type ApiError, failureOf } from './server.ts';

export interface Resource<Value> {
  /** The last answer; stays while a newer one is fetched. */
  readonly value: Value | undefined;
  readonly failure: ApiError | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/**
 * Fetches again whenever the key changes, and when ollm answers after it was away; an answer that is no longer wanted
 * is aborted. `undefined` fetches nothing.
 */
export function useResource<Value>(
  key: string | undefined,
  fetcher: (signal: AbortSignal) => Promise<Value>,
  delayMs = 0,
): Resource<Value> {
  const [value, setValue] = useState<Value>();
  const [failure, setFailure] = useState<ApiError>();
  const [isLoading, setIsLoading] = useState(false);
  const [round, setRound] = useState(0);
  const latest = useRef(fetcher);
  latest.current = fetcher;
  useEffect(() => {
    if (key === undefined) {
      setValue(undefined);
      setFailure(undefined);
      return undefined;
    }
    const controller = new AbortController();
    const timer = setTimeout(async () => {
      setIsLoading(true);
      try {
        setValue(await latest.current(controller.signal));
        setFailure(undefined);
      } catch (error) {
        if (controller.signal.aborted) return;
        setFailure(failureOf(error));
      }
      if (!controller.signal.aborted) setIsLoading(false);
    }, delayMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key, round, delayMs]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  const isUnanswered = failure?.code === 'OFFLINE';
  useEffect(() => (isUnanswered ? onRetry(reload) : undefined), [isUnanswered, reload]);
  return { value, failure, isLoading, reload };
}

const READING_PAUSE_MS = 2_000;

/** Asks again while the server reads sessions for the answer, as after its start. */
export function useReadingResource({
  value,
  reload,
}: Pick<Resource<{ readonly isReading?: boolean | undefined }>, 'value' | 'reload'>): void {
  useEffect(() => {
    if (value?.isReading !== true) return undefined;
    const timer = setTimeout(reload, READING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
}
