import { useEffect } from 'preact/hooks';
import { server } from '../api/server.ts';
import type { ActivityAnswer, SentSessionRow } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';

/** The other program that has a session open for writing. */
export function useHolder(address: string, row: SentSessionRow | undefined): ActivityAnswer['holder'] {
  const isLocked = row?.locked === true;
  const { value, reload } = useResource(isLocked ? `activity ${address}` : undefined, (signal) =>
    server.getActivity({ parameters: { id: address }, signal }),
  );
  // A turn that begins or ends here changes the holder.
  const kind = row?.activity?.kind;
  useEffect(() => {
    if (isLocked) reload();
  }, [isLocked, kind]);
  return isLocked ? value?.holder : undefined;
}
