// A button with a list of actions, above everything else and wholly in the window. Focus goes into the list and comes
// back; Escape closes it.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';
import './menu.css';

export interface MenuItem {
  readonly label: string;
  readonly note?: string | undefined;
  readonly href?: string | undefined;
  readonly onPick?: (() => void) | undefined;
}

/** The outcome of an action, for a notice. */
export interface MenuMessage {
  readonly isProblem: boolean;
  readonly text: string;
  readonly undo?: (() => void) | undefined;
}

/** A menu with the chosen item on its button. */
export function PickMenu({ children, ...props }: Pick<MenuProps, 'label' | 'items' | 'children' | 'onWish'>) {
  return (
    <Menu {...props} class="plain" align="left">
      <span class="cut">{children}</span>
      <Icon name="down" />
    </Menu>
  );
}

interface MenuProps {
  label: string;
  items: readonly MenuItem[];
  children: ComponentChildren;
  class?: string;
  /** The edge of the button that the list has, where there is room. Default: the right one. */
  align?: 'left' | 'right';
  isDisabled?: boolean;
  /** Called before it opens. */
  onWish?: () => void;
}

export function Menu(props: MenuProps) {
  const { label, items, children, align = 'right', isDisabled = false, onWish } = props;
  const [isOpen, setIsOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  // Before the list is painted: a key that is pressed at once would go to the button, and Escape would not close it.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    box.current?.showPopover();
    if (box.current && button.current) place(box.current, button.current, align);
    box.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus({ preventScroll: true });
    const close = (event: Event): void => {
      if (!box.current?.contains(event.target as Node) && !button.current?.contains(event.target as Node))
        setIsOpen(false);
    };
    const follow = (): void => {
      if (box.current && button.current) place(box.current, button.current, align);
    };
    addEventListener('pointerdown', close);
    for (const name of MOVING) addEventListener(name, follow, true);
    return () => {
      removeEventListener('pointerdown', close);
      for (const name of MOVING) removeEventListener(name, follow, true);
    };
  }, [isOpen]);
  // Items that are fetched arrive later.
  useLayoutEffect(() => {
    if (!isOpen || !box.current || !button.current) return;
    place(box.current, button.current, align);
    if (document.activeElement === button.current)
      box.current.querySelector<HTMLElement>('[role=menuitem]')?.focus({ preventScroll: true });
  });

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
    <div class="menu-anchor" data-menu onPointerDown={onWish} onFocusIn={onWish}>
      <button
        ref={button}
        type="button"
        class={`button ${props.class ?? ''}`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        disabled={isDisabled}
        onClick={() => setIsOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen ? (
        <div ref={box} class="menu" popover="manual" role="menu" aria-label={label} tabIndex={-1} onKeyDown={onKeyDown}>
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

/** What moves the button moves its list. */
const MOVING = ['scroll', 'resize'] as const;
const EDGE = 8;

/** Below the button, or above it where there is more room; never wider or higher than the window. */
function place(box: HTMLElement, button: HTMLElement, align: 'left' | 'right'): void {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const [above, below] = [top - EDGE, innerHeight - bottom - EDGE];
  box.style.maxHeight = '';
  const isUp = below < box.scrollHeight + EDGE && above > below;
  box.style.maxHeight = `${Math.max(above, below)}px`;
  const wanted = align === 'left' ? left : right - box.offsetWidth;
  box.style.left = `${Math.max(EDGE, Math.min(wanted, innerWidth - box.offsetWidth - EDGE))}px`;
  box.style.top = isUp ? 'auto' : `${bottom + 4}px`;
  box.style.bottom = isUp ? `${innerHeight - top + 4}px` : 'auto';
}
