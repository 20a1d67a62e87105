// The list of all keys, where single ones can be switched off.
import { Dialog } from './dialog.tsx';
import { keysAct } from './keys.ts';
import './key-help.css';

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['Ctrl K', 'A command, a session or a project by its name'],
  ['/', 'Search'],
  ['g s, g c, g y, n', 'Sessions, Cost, a year, New'],
  ['p', 'Play, pause: in Time'],
  ['j k', 'Next, previous row or event'],
  ['Shift J, Shift K', 'Next, previous prompt'],
  ['] [', 'Next, previous failure'],
  ['e, Shift E', 'Unfold this, all calls of the turn'],
  ['Home, End', 'First, newest'],
  ['Ctrl F', 'Find in this session'],
  ['#', 'To the event of a number'],
  ['m', 'What can be done at this event: link, as it was, fork'],
  ['o', 'To the outline'],
  ['c', 'To the composer'],
  ['Esc', 'Close, or leave the composer'],
  ['Enter, Shift Enter', 'Send, new line'],
  ['Ctrl .', 'Stop'],
  ['y n e a s', 'Allow once, deny, edit, always, all edits: in a question'],
  ['?', 'This list'],
];

export function KeyHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      {(close) => (
        <>
          <dl class="key-help">
            {KEYS.map(([keys, does]) => (
              <div key={keys}>
                <dt>
                  <kbd>{keys}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
          <label>
            <input
              type="checkbox"
              checked={keysAct()}
              onChange={(event) => localStorage.setItem('keys', event.currentTarget.checked ? 'on' : 'off')}
            />{' '}
            Single keys act
          </label>
          <p>
            <button type="button" class="button" onClick={close}>
              Close
            </button>
          </p>
        </>
      )}
    </Dialog>
  );
}
