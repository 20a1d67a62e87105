// What a view shows when it has nothing else to show: why, and what can be done.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiError } from '../api/server.ts';
import { announce } from '../state/announce.ts';
import { CopyButton } from './copy-button.tsx';
import { Icon, type IconName } from './icon.tsx';
import './state.css';

/** `isPage`: nothing else on the page has a heading. */
export function State({
  title,
  icon = 'alert',
  children,
  command,
  actions,
  isPage = false,
}: {
  title: string;
  icon?: IconName;
  isPage?: boolean | undefined;
  children?: ComponentChildren;
  /** What to run in a terminal. */
  command?: string;
  actions?: ComponentChildren;
}) {
  return (
    <section class="state">
      <span class="card state-icon">
        <Icon name={icon} />
      </span>
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children === undefined ? null : <p>{children}</p>}
      {command === undefined ? null : (
        <div class="command">
          <code>{command}</code>
          <CopyButton text={command} label="Copy the command" />
        </div>
      )}
      {actions === undefined ? null : <div class="actions">{actions}</div>}
    </section>
  );
}

export interface FailureProps {
  failure: ApiError;
  retry: () => void;
  /** The session that was asked for. */
  address?: string;
  /** As of `State`. */
  isPage?: boolean;
}

export function AllSessions() {
  return (
    <a class="button" href="/">
      All sessions
    </a>
  );
}

export function TryNow({ retry }: { retry: () => void }) {
  return (
    <button type="button" class="button" onClick={retry}>
      Try now
    </button>
  );
}

/** What loads for so short a time shows nothing. */
const SHOWN_AFTER_MS = 300;

/** A placeholder for rows of a list or lines of text. `what`: announced once to a screen reader. */
export function Skeleton({
  rows = 6,
  areRows = false,
  what,
}: {
  rows?: number;
  areRows?: boolean;
  what?: string | undefined;
}) {
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setIsShown(true);
      announce(what === undefined ? 'Loading' : `Loading ${what}`);
    }, SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <div aria-hidden="true">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} class={areRows ? 'skeleton-row' : undefined}>
          <div class={`skeleton width-${index % 3}`} />
        </div>
      ))}
    </div>
  );
}
