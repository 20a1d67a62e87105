import { useState } from 'preact/hooks';
import { linkTo, server } from '../api/server.ts';
import type { SentSessionRow } from '../api/types.ts';
import { compareLink, go, sessionLink } from '../router.ts';
import { announce } from '../state/announce.ts';
import { giveBack } from '../state/draft.ts';
import { Icon } from './icon.tsx';
import { lazy } from './lazy.tsx';
import { Menu, type MenuItem } from './menu.tsx';

const ContinueIn = lazy(async () => (await import('./continue-in.tsx')).ContinueIn);

/** What came of an action, for a notice. */
export interface MenuMessage {
  readonly isProblem: boolean;
  readonly text: string;
  readonly undo?: (() => void) | undefined;
}

/** What can be done with a whole session. */
export function SessionMenu({
  address,
  row,
  onChange,
  onSaid,
}: {
  address: string;
  row: SentSessionRow | undefined;
  onChange: () => void;
  onSaid: (said: MenuMessage) => void;
}) {
  const [isRemoved, setIsRemoved] = useState(false);
  const [isContinuing, setIsContinuing] = useState(false);
  const say = (said: MenuMessage): void => {
    announce(said.text);
    onSaid(said);
  };
  /** Does something, and says what came of it, where there is something to say. */
  const act = (work: () => Promise<string | undefined>, undo?: () => void) => async () => {
    try {
      const text = await work();
      if (text !== undefined) say({ isProblem: false, text, undo });
      onChange();
    } catch (error) {
      say({ isProblem: true, text: error instanceof Error ? error.message : String(error) });
    }
  };
  const parameters = { id: address };
  const isOwn = !address.includes(':');
  const restore = act(async () => {
    await server.restoreSession({ parameters });
    setIsRemoved(false);
    return 'It is here again.';
  });
  const remove = act(
    async () => {
      await server.deleteSession({ parameters });
      setIsRemoved(true);
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
    try {
      await navigator.clipboard.writeText(address);
    } catch {
      throw new Error(`The browser does not let it be copied: ${address}`);
    }
    return 'Its address is copied.';
  });
  const exportAs = (format: 'md' | 'json') => linkTo('exportSession', { parameters, query: { format } });
  /** What can be done where the content can be read. */
  const itemsOfContent: readonly MenuItem[] = [
    { label: 'Fork', onPick: fork },
    { label: 'Continue in…', note: 'another program', onPick: () => setIsContinuing(true) },
    ...(isOwn
      ? [{ label: 'Undo last turn', onPick: undo }]
      : row?.importId === undefined
        ? [{ label: 'Import', note: 'a copy in a journal here', onPick: bringIn }]
        : []),
    { label: 'Side by side with …', href: compareLink(address) },
    { label: 'Export as Markdown', href: exportAs('md') },
    { label: 'Export as JSON', href: exportAs('json') },
  ];
  return (
    <>
      <Menu
        label="More"
        class="plain square"
        items={[
          ...(row?.problem === 'encrypted' ? [] : itemsOfContent),
          ...(row?.unlocked === true ? [{ label: 'Lock', onPick: lock }] : []),
          { label: 'Copy address', onPick: copy },
          isRemoved
            ? { label: 'Take it back', onPick: restore }
            : { label: isOwn ? 'Move to trash' : 'Hide', onPick: remove },
        ]}
      >
        <Icon name="more" />
      </Menu>
      {isContinuing ? <ContinueIn address={address} onClose={() => setIsContinuing(false)} /> : null}
    </>
  );
}
