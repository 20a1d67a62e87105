// The keys of a conversation, which acts on its own column. A key whose event is not drawn yet, because an answer of
// the server is late, is done once it is; the next key or click is another wish.
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type PageCommand, useCommands } from './commands.ts';

interface ConversationParts {
  readonly flow: RefObject<HTMLElement | null>;
  /** The outline, which has no room in a narrow window. */
  readonly rail: RefObject<HTMLElement | null>;
  readonly openOutline: () => void;
  readonly goTo: (place: 'first' | 'newest') => void;
  /** Begins a search of the session with a text. */
  readonly find: (text: string) => void;
}

export function useConversationKeys({ flow, rail, openOutline, goTo, find }: ConversationParts): void {
  const waiting = useRef<(() => boolean) | undefined>(undefined);
  useEffect(() => {
    if (waiting.current?.() === true) waiting.current = undefined;
  });
  useEffect(() => {
    const forget = (): void => {
      waiting.current = undefined;
    };
    for (const name of ['keydown', 'pointerdown']) addEventListener(name, forget, true);
    return () => {
      for (const name of ['keydown', 'pointerdown']) removeEventListener(name, forget, true);
    };
  }, []);
  /** Acts now, or with the first drawing in which there is something to act on. */
  const soon = (act: () => boolean): boolean => {
    if (!act()) waiting.current = act;
    return true;
  };
  const within = (act: (column: HTMLElement) => boolean): boolean => flow.current !== null && act(flow.current);
  useCommands([
    keyed('j', 'Next event', () => within((column) => step(column, EVENTS, 1))),
    keyed('k', 'Previous event', () => within((column) => step(column, EVENTS, -1))),
    keyed('J', 'Next prompt', () => within((column) => step(column, PROMPTS, 1))),
    keyed('K', 'Previous prompt', () => within((column) => step(column, PROMPTS, -1))),
    keyed('e', 'Unfold this', () => within((column) => unfold(column, 'one'))),
    keyed('E', 'Unfold all calls of the turn', () => within((column) => unfold(column, 'turn'))),
    keyed('m', 'What can be done at this event', () =>
      within((column) => {
        const event = document.activeElement?.closest<HTMLElement>(EVENTS) ?? targetIn(column);
        if (!event || !column.contains(event)) return false;
        const { id } = event;
        if (menuOf(column, id) === null) event.querySelector<HTMLElement>('[data-number]')?.click();
        return soon(() => {
          const menu = menuOf(column, id);
          menu?.click();
          return menu !== null;
        });
      }),
    ),
    {
      title: 'Outline',
      keys: 'o',
      run: () => {
        if (matchMedia('(max-width: 1199px)').matches) openOutline();
        else
          soon(() => {
            const entry = rail.current?.querySelector<HTMLElement>('a[aria-current], a');
            entry?.focus();
            return entry !== null && entry !== undefined;
          });
      },
    },
    { title: 'First event', keys: 'Home', run: () => goTo('first') },
    { title: 'Newest event', keys: 'End', run: () => goTo('newest') },
    { title: 'To the event of a number', keys: '#', run: () => find('#') },
    { title: 'Find in this session', run: () => find('') },
    { title: 'Next failure', keys: ']', run: () => within((column) => step(column, FAILURES, 1)) },
    { title: 'Previous failure', keys: '[', run: () => within((column) => step(column, FAILURES, -1)) },
  ]);
}

const EVENTS = 'article[data-kind]:not([data-kind=damage])';
const PROMPTS = 'article[data-kind=prompt]';
const FAILURES = '[data-state=failed], article[data-kind=damage]';
/** What unfolds in place; a menu does not. */
const UNFOLDS = '[aria-expanded]:not([aria-haspopup])';

function keyed(keys: string, title: string, run: () => boolean): PageCommand {
  return { keys, title, run, isKeyOnly: true };
}

/** The event that the address leads to. */
function targetIn(column: HTMLElement): HTMLElement | null {
  return column.querySelector<HTMLElement>(`${EVENTS}:has(> [data-number=target])`);
}

/** The menu of an event is there once the address leads to the event. */
function menuOf(column: HTMLElement, id: string): HTMLElement | null {
  return column.querySelector<HTMLElement>(`#${CSS.escape(id)} > [data-menu] > button`);
}

/** To the next or previous element of a kind, seen from the top of the column. */
function step(column: HTMLElement, selector: string, by: 1 | -1): boolean {
  const top = column.getBoundingClientRect().top + 72;
  const elements = [...column.querySelectorAll<HTMLElement>(selector)];
  const distance = (element: HTMLElement) => element.getBoundingClientRect().top - top;
  const next = by > 0 ? elements.find((each) => distance(each) > 4) : elements.findLast((each) => distance(each) < -4);
  if (!next) return false;
  column.scrollTop += distance(next);
  next.querySelector<HTMLElement>('[data-number], button')?.focus({ preventScroll: true });
  return true;
}

/** Opens or closes the call that is looked at, or all calls up to the next prompt. */
function unfold(column: HTMLElement, what: 'one' | 'turn'): boolean {
  const heads = [...column.querySelectorAll<HTMLElement>(UNFOLDS)];
  const top = column.getBoundingClientRect().top + 60;
  const at = document.activeElement;
  const focused = (at?.closest('[data-state]') ?? at?.closest('article'))?.querySelector<HTMLElement>(UNFOLDS);
  const first = focused ?? heads.find((each) => each.getBoundingClientRect().top >= top);
  if (!first) return false;
  if (what === 'one') {
    first.click();
    first.focus({ preventScroll: true });
    return true;
  }
  const next = [...column.querySelectorAll(PROMPTS)].find(
    (prompt) => first.compareDocumentPosition(prompt) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  const isBefore = (each: Element) =>
    next === undefined || (each.compareDocumentPosition(next) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const calls = heads
    .slice(heads.indexOf(first))
    .filter((each) => each.parentElement?.hasAttribute('data-state') && isBefore(each));
  const opens = calls.some((each) => each.ariaExpanded === 'false');
  for (const each of calls) if ((each.ariaExpanded === 'false') === opens) each.click();
  return true;
}
