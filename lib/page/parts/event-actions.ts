// What can be done at an event: copy its link, see the session as it was, fork from it, go back to it.
import { server } from '../api/server.ts';
import { go, sessionLink } from '../router.ts';
import { announce } from '../state/announce.ts';
import type { Attempt } from '../state/attempt.ts';
import { copied } from './copy-button.tsx';
import type { MenuItem, MenuMessage } from './menu.tsx';

interface Options {
  /** The event after which the session is shown as it was. */
  readonly at: number | undefined;
  readonly attempt: Attempt;
  readonly onSaid: (said: MenuMessage) => void;
  readonly onChange: () => void;
}

interface EventActions {
  forkAt(seq: number): Promise<void>;
  actionsAt(seq: number): readonly MenuItem[];
  /** Continues after the undone events. */
  returnTo(seq: number): void;
}

export function useEventActions(address: string, { at, attempt, onSaid, onChange }: Options): EventActions {
  const forkAt = (seq: number): Promise<void> =>
    attempt(async () => {
      const made = await server.forkSession({ parameters: { id: address }, body: { at: seq } });
      go(sessionLink(made.sessionId));
    });
  const copyLink = async (seq: number): Promise<void> => {
    const link = location.origin + sessionLink(address, `#${seq}`);
    const isCopied = await copied(link);
    const text = isCopied ? 'Its link is copied.' : `The browser does not let it be copied: ${link}`;
    if (isCopied) announce(text);
    onSaid({ isProblem: !isCopied, text });
  };
  return {
    forkAt,
    actionsAt: (seq) => [
      { label: 'Copy link', onPick: () => void copyLink(seq) },
      ...(at === seq ? [] : [{ label: 'As it was here', href: sessionLink(address, `?at=${seq}`) }]),
      { label: 'Fork from here', onPick: () => void forkAt(seq) },
    ],
    returnTo: (seq) =>
      void attempt(async () => {
        await server.returnToBranch({ parameters: { id: address }, body: { seq } });
        onChange();
      }),
  };
}
