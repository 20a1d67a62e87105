// A button with a list of actions. Focus goes into the list and comes back; Escape closes it.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface MenuItem {
  readonly label: string;
  readonly note?: string | undefined;
  readonly href?: string | undefined;
  readonly onPick?: (() => void) | undefined;
}

export function Menu(props: {
  label: string;
  items: readonly MenuItem[];
  children: ComponentChildren;
  class?: string;
  place?: string;
}) {
  const { label, items, children, place = 'right' } = props;
  const [isOpen, setIsOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  // Before the list is painted: a key that is pressed at once would go to the button, and Escape would not close it.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    box.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    const close = (event: Event): void => {
      if (!box.current?.contains(event.target as Node) && !button.current?.contains(event.target as Node))
        setIsOpen(false);
    };
    addEventListener('pointerdown', close);
    return () => removeEventListener('pointerdown', close);
  }, [isOpen]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const choices = [...(box.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    const at = choices.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: choices.length - 1 }[event.key];
    if (event.key === 'Escape' || event.key === 'Tab') {
      setIsOpen(false);
      button.current?.focus();
      if (event.key === 'Escape') event.stopPropagation();
    } else if (next !== undefined) {
      event.preventDefault();
      choices[(next + choices.length) % choices.length]?.focus();
    }
  };

  const pick = (item: MenuItem): void => {
    setIsOpen(false);
    button.current?.focus();
    item.onPick?.();
  };

  return (
    <div class="menu-anchor">
      <button
        ref={button}
        type="button"
        class={`button ${props.class ?? ''}`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={label}
        onClick={() => setIsOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen ? (
        <div ref={box} class={`menu ${place}`} role="menu" aria-label={label} tabIndex={-1} onKeyDown={onKeyDown}>
          {items.map((item) =>
            item.href === undefined ? (
              <button key={item.label} type="button" role="menuitem" tabIndex={-1} onClick={() => pick(item)}>
                <span class="grow">{item.label}</span>
                {item.note === undefined ? null : <span class="meta">{item.note}</span>}
              </button>
            ) : (
              <a key={item.label} role="menuitem" tabIndex={-1} href={item.href} onClick={() => pick(item)}>
                {item.label}
              </a>
            ),
          )}
        </div>
      ) : null}
    </div>
  );
}
