// The newest sessions, asked for again and again: which run, which ask, and which came.
import { useEffect, useRef } from 'preact/hooks';
import { ask } from '../api/request.ts';
import type { SessionList } from '../api/types.ts';
import { type Resource, useResource } from '../api/use-resource.ts';

const LOOK_AGAIN_MS = 5_000;
/** A list that takes long to make is asked for less often: a quarter of the time at most is spent on it. */
const PAUSE_PER_ANSWER = 3;
/** A session that runs is among them: it was active last. */
const MOST = 200;

export function useNewest(): Resource<SessionList> {
  const list = useResource('newest', (signal) => ask<SessionList>('/sessions', { query: { limit: MOST }, signal }));
  const { reload, isLoading } = list;
  const askedAt = useRef(performance.now());
  useEffect(() => {
    if (isLoading) {
      askedAt.current = performance.now();
      return undefined;
    }
    // Only behind an answer: the next question would end the one that is still waited for.
    const pause = Math.max(LOOK_AGAIN_MS, PAUSE_PER_ANSWER * (performance.now() - askedAt.current));
    const look = (): void => {
      if (!document.hidden) reload();
    };
    const timer = setInterval(look, pause);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [reload, isLoading]);
  return list;
}
