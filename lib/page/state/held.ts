import { useEffect } from 'preact/hooks';
import { ask, sessionPath } from '../api/request.ts';
import type { ActivityAnswer, SentSessionRow } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';

const LOOK_AGAIN_MS = 5000;

/** The other program that has a session open for writing. Looks again until it is closed there. */
export function useHolder(address: string, row: SentSessionRow | undefined): ActivityAnswer['holder'] {
  const isLocked = row?.locked === true;
  const { value, reload } = useResource(isLocked ? `activity ${address}` : undefined, (signal) =>
    ask<ActivityAnswer>(sessionPath(address, '/activity'), { signal }),
  );
  const isHeld = isLocked && value?.holder !== undefined;
  useEffect(() => {
    if (!isHeld) return undefined;
    const timer = setInterval(() => document.hidden || reload(), LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isHeld, reload]);
  return isHeld ? value.holder : undefined;
}
