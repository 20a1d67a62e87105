import type { ComponentChildren } from 'preact';

interface Props {
  tone: 'info' | 'warn' | 'danger';
  title: string;
  children?: ComponentChildren;
  action?: string;
  onAction?: () => void;
  /** It can be taken away. */
  onClose?: () => void;
  /** A screen reader was told already. */
  isSaid?: boolean;
}

/** A line below the header: a fact, and the next step. */
export function Notice({ tone, title, children, action, onAction, onClose, isSaid = false }: Props) {
  return (
    <div class={`notice ${tone}`} role={isSaid ? undefined : 'status'}>
      <b>{title}</b>
      <span>{children}</span>
      {action === undefined ? null : (
        <button type="button" onClick={onAction}>
          {action}
        </button>
      )}
      {onClose === undefined ? null : (
        <button type="button" class="notice-close" onClick={onClose}>
          Close
        </button>
      )}
    </div>
  );
}
