import type { ComponentChildren } from 'preact';

interface Props {
  tone: 'info' | 'warn' | 'danger';
  title: string;
  children?: ComponentChildren;
  action?: string;
  onAction?: () => void;
}

/** A line below the header: what is, and what can be done. */
export function Notice({ tone, title, children, action, onAction }: Props) {
  return (
    <div class={`notice ${tone}`} role="status">
      <b>{title}</b>
      <span>{children}</span>
      {action === undefined ? null : (
        <button type="button" onClick={onAction}>
          {action}
        </button>
      )}
    </div>
  );
}
