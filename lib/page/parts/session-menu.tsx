import { useState } from 'preact/hooks';
import { ask, RequestFailed, sessionPath } from '../api/request.ts';
import type { SessionRow } from '../api/types.ts';
import { go, sessionLink } from '../router.ts';
import { announce } from '../state/announce.ts';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';

/** What can be done with a whole session. */
export function SessionMenu({
  address,
  row,
  onChange,
}: {
  address: string;
  row: SessionRow | undefined;
  onChange: () => void;
}) {
  const [isRemoved, setIsRemoved] = useState(false);
  const act = (what: () => Promise<unknown>, said: string) => async () => {
    try {
      await what();
      announce(said);
      onChange();
    } catch (error) {
      announce(error instanceof RequestFailed ? error.message : String(error));
    }
  };
  const isOwn = !address.includes(':');
  const remove = act(
    async () => {
      await ask(sessionPath(address), { method: 'DELETE' });
      setIsRemoved(true);
    },
    isOwn ? 'In the trash' : 'Hidden; its file stays',
  );
  const restore = act(async () => {
    await ask(sessionPath(address, '/restore'), { method: 'POST' });
    setIsRemoved(false);
  }, 'Here again');
  return (
    <Menu
      label="More"
      class="plain square"
      items={[
        {
          label: 'Fork',
          onPick: async () => {
            const made = await ask<{ sessionId: string }>(sessionPath(address, '/fork'), { method: 'POST', body: {} });
            go(sessionLink(made.sessionId));
          },
        },
        ...(isOwn
          ? [
              {
                label: 'Undo last turn',
                onPick: act(() => ask(sessionPath(address, '/undo'), { method: 'POST', body: {} }), 'Undone'),
              },
            ]
          : row?.importId === undefined
            ? [
                {
                  label: 'Import',
                  note: 'a copy in a journal here',
                  onPick: act(() => ask(sessionPath(address, '/import'), { method: 'POST', body: {} }), 'Imported'),
                },
              ]
            : []),
        { label: 'Copy address', onPick: act(() => navigator.clipboard.writeText(address), 'Copied') },
        { label: 'Export as Markdown', href: `/api/llm${sessionPath(address, '/export')}?format=md` },
        { label: 'Export as JSON', href: `/api/llm${sessionPath(address, '/export')}?format=json` },
        isRemoved
          ? { label: 'Take it back', onPick: restore }
          : { label: isOwn ? 'Move to trash' : 'Hide', onPick: remove },
      ]}
    >
      <Icon name="more" />
    </Menu>
  );
}
