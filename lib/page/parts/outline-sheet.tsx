// The prompts of a session as a sheet, if the window has no room for them next to it.
import { useEffect, useRef } from 'preact/hooks';
import type { Outline } from '../api/types.ts';
import { OutlineList } from './outline.tsx';
import './outline-sheet.css';

interface Props {
  outline: Outline | undefined;
  current: number;
  at: number | undefined;
  onJump: (seq: number) => void;
  onClose: () => void;
}

export function OutlineSheet({ outline, current, at, onJump, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    dialog.current?.querySelector<HTMLElement>('a[aria-current]')?.focus();
  }, [outline === undefined]);
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby="sheet-title" onClose={onClose}>
      <header>
        <h2 id="sheet-title">Outline</h2>
        <button type="button" class="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      {outline === undefined ? (
        <p class="meta">Loading</p>
      ) : (
        <OutlineList
          outline={outline}
          current={current}
          at={at}
          onJump={(seq) => {
            dialog.current?.close();
            onJump(seq);
          }}
        />
      )}
    </dialog>
  );
}
