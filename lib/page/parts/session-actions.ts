// The actions on a whole session, which are loaded when their menu is wanted.
import { linkTo, server, wordsOfError } from '../api/server.ts';
import type { SentSessionRow } from '../api/types.ts';
import { shortDay } from '../model/numbers.ts';
import { compareLink, go, sessionLink } from '../router.ts';
import { announce } from '../state/announce.ts';
import { giveBack } from '../state/draft.ts';
import { copied } from './copy-button.tsx';
import type { MenuItem, MenuMessage } from './menu.tsx';

const LOOPBACK = /^(localhost|127\.|\[::1\])/;

interface SessionActions {
  readonly address: string;
  readonly row: SentSessionRow | undefined;
  /** It is in the trash, or hidden. */
  readonly isRemoved: boolean;
  readonly onRemoved: (isRemoved: boolean) => void;
  readonly onContinue: () => void;
  readonly onChange: () => void;
  readonly onSaid: (said: MenuMessage) => void;
}

export function sessionActions(options: SessionActions): readonly MenuItem[] {
  const { address, row, isRemoved, onRemoved, onContinue, onChange, onSaid } = options;
  const say = (said: MenuMessage): void => {
    announce(said.text);
    onSaid(said);
  };
  /** Does something, and reports its outcome, where there is one. */
  const act = (work: () => Promise<string | undefined>, undo?: () => void) => async () => {
    try {
      const text = await work();
      if (text !== undefined) say({ isProblem: false, text, undo });
      onChange();
    } catch (error) {
      say({ isProblem: true, text: wordsOfError(error) });
    }
  };
  const parameters = { id: address };
  const isOwn = !address.includes(':');
  const restore = act(async () => {
    await server.restoreSession({ parameters });
    onRemoved(false);
    return 'It is here again.';
  });
  const remove = act(
    async () => {
      await server.deleteSession({ parameters });
      onRemoved(true);
      return isOwn ? 'It is in the trash.' : 'It is hidden. Its file stays.';
    },
    () => void restore(),
  );
  const fork = act(async () => {
    const made = await server.forkSession({ parameters, body: {} });
    go(sessionLink(made.sessionId));
    return undefined;
  });
  const undo = act(async () => {
    const { undone, text } = await server.undoTurn({ parameters });
    giveBack(address, text ?? '');
    return undone ? 'The last turn is undone.' : 'There is no turn to undo.';
  });
  const bringIn = act(async () => {
    await server.importSession({ parameters });
    return 'It is imported.';
  });
  const lock = act(async () => {
    await server.lockSession({ parameters });
    return 'It is locked.';
  });
  const copy = act(async () => {
    if (await copied(address)) return 'Its address is copied.';
    throw new Error(`The browser does not let it be copied: ${address}`);
  });
  const share = async (): Promise<void> => {
    try {
      const { name, path, expiresAt } = await server.shareSession({ parameters, body: {} });
      const link = `${location.origin}${path}`;
      const isCopied = await copied(link);
      const reach = LOOPBACK.test(location.hostname) ? 'Only this machine reaches it. ' : '';
      const until = shortDay(new Date(expiresAt), new Date());
      say({
        isProblem: false,
        text: `${isCopied ? 'A link for guests is copied.' : link} It shows this session until ${until}. ${reach}`,
        undo: () =>
          void act(async () => {
            await server.unshareSession({ parameters: { ...parameters, linkName: name } });
            return 'The link has ended.';
          })(),
      });
    } catch (error) {
      say({ isProblem: true, text: wordsOfError(error) });
    }
  };
  const exportAs = (format: 'md' | 'json') => linkTo('exportSession', { parameters, query: { format } });
  /** What can be done where the content can be read. */
  const itemsOfContent: readonly MenuItem[] = [
    { label: 'Fork', onPick: fork },
    { label: 'Continue in…', note: 'another program', onPick: onContinue },
    ...(isOwn
      ? [{ label: 'Undo last turn', onPick: undo }]
      : row?.importId === undefined
        ? [{ label: 'Import', note: 'a copy in a journal here', onPick: bringIn }]
        : []),
    { label: 'Side by side with …', href: compareLink(address) },
    ...(isOwn ? [{ label: 'Share a link', note: 'for reading, 7 days', onPick: share }] : []),
    {
      label: 'Save a page to share',
      note: 'without secrets',
      href: linkTo('exportSession', { parameters, query: { format: 'html', redact: true } }),
    },
    { label: 'Export as Markdown', href: exportAs('md') },
    { label: 'Export as JSON', href: exportAs('json') },
  ];
  return [
    ...(row?.problem === 'encrypted' ? [] : itemsOfContent),
    ...(row?.unlocked === true ? [{ label: 'Lock', onPick: lock }] : []),
    { label: 'Copy address', onPick: copy },
    isRemoved
      ? { label: 'Take it back', onPick: restore }
      : { label: isOwn ? 'Move to trash' : 'Hide', onPick: remove },
  ];
}
