// Keys that work anywhere but in a field, and can be switched off. What each does is registered by the view that is
// shown.
import { useEffect, useRef } from 'preact/hooks';
import { runCommand } from '../state/commands.ts';
import { wasJustAsked } from '../state/presence.ts';

/** Whether single keys act. */
export function keysAct(): boolean {
  return localStorage.getItem('keys') !== 'off';
}

/** `onPalette`: Ctrl K was pressed. */
export function useKeys(onPalette: () => void): void {
  const palette = useRef(onPalette);
  palette.current = onPalette;
  useEffect(() => {
    let before = '';
    const onKeyDown = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        palette.current();
        return;
      }
      if (event.key === '.' && (event.ctrlKey || event.metaKey)) {
        runCommand('Ctrl .');
        return;
      }
      if (event.key === 'Escape' && isTyping) target.blur();
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !keysAct()) return;
      if (target.closest('[role=alertdialog]') || wasJustAsked()) return;
      if (document.querySelector('dialog:modal')) return;
      const pressed = before === 'g' ? `g ${event.key}` : event.key;
      before = event.key;
      if (runCommand(pressed)) event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
