import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import './dialog.css';

interface Props {
  title: string;
  onClose: () => void;
  /** `close`: as Escape does. */
  children: (close: () => void) => ComponentChildren;
}

/** A dialog with a heading, open for as long as it is drawn. */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="dialog-title" onClose={onClose}>
      <h2 id="dialog-title" class="section-title">
        {title}
      </h2>
      {children(() => dialog.current?.close())}
    </dialog>
  );
}
