import { useState } from 'preact/hooks';
import type { SentSessionRow } from '../api/types.ts';
import { Icon } from './icon.tsx';
import { lazy } from './lazy.tsx';
import { Menu, type MenuMessage } from './menu.tsx';

const ContinueIn = lazy(async () => (await import('./continue-in.tsx')).ContinueIn);
type Actions = typeof import('./session-actions.ts').sessionActions;

/** The actions on a whole session. */
export function SessionMenu(props: {
  address: string;
  row: SentSessionRow | undefined;
  onChange: () => void;
  onSaid: (said: MenuMessage) => void;
}) {
  const [isRemoved, setIsRemoved] = useState(false);
  const [isContinuing, setIsContinuing] = useState(false);
  const [actions, setActions] = useState<Actions>();
  const load = async (): Promise<void> => {
    try {
      const { sessionActions } = await import('./session-actions.ts');
      setActions(() => sessionActions);
    } catch {
      props.onSaid({ isProblem: true, text: 'The menu could not be loaded. Load the page again.' });
    }
  };
  const onContinue = (): void => setIsContinuing(true);
  const items = actions?.({ ...props, isRemoved, onRemoved: setIsRemoved, onContinue });
  return (
    <>
      <Menu label="More" class="plain square" onWish={() => void load()} items={items ?? []}>
        <Icon name="more" />
      </Menu>
      {isContinuing ? <ContinueIn address={props.address} onClose={() => setIsContinuing(false)} /> : null}
    </>
  );
}
