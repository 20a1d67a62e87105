import { MODE_MEANING, noteToolMode, TOOL_MODES, useToolMode } from '../state/tool-mode.ts';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';

/** What tools do without a question, from the next prompt on. */
export function ModeMenu({ address }: { address: string }) {
  const mode = useToolMode(address);
  return (
    <Menu
      label={`Mode: ${mode ?? 'as configured'}`}
      class="plain mode"
      align="left"
      items={TOOL_MODES.map((each) => ({
        label: each,
        note: MODE_MEANING[each],
        onPick: () => noteToolMode(address, each),
      }))}
    >
      <Icon name="shield" />
      {mode === undefined || mode === 'ask' ? null : <span>{mode}</span>}
    </Menu>
  );
}
