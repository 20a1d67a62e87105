import { useEffect } from 'preact/hooks';
import { ask, sessionPath } from '../api/request.ts';
import type { ActivityAnswer, SentSessionRow } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';

/** The other program that has a session open for writing. */
export function useHolder(address: string, row: SentSessionRow | undefined): ActivityAnswer['holder'] {
  const isLocked = row?.locked === true;
  const { value, reload } = useResource(isLocked ? `activity ${address}` : undefined, (signal) =>
    ask<ActivityAnswer>(sessionPath(address, '/activity'), { signal }),
  );
  // A turn that begins or ends here changes the holder.
  const kind = row?.activity?.kind;
  useEffect(() => {
    if (isLocked) reload();
  }, [isLocked, kind]);
  return isLocked ? value?.holder : undefined;
}
