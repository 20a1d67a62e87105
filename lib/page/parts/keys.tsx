// Keys that work anywhere but in a field, and can be switched off.
import { useEffect } from 'preact/hooks';
import { commandsNow, type PageCommand } from '../state/commands.ts';
import { wasJustAsked } from '../state/presence.ts';

interface ToConversation {
  readonly goTo?: 'first' | 'newest';
  /** What the search of the session begins with. */
  readonly find?: string;
  /** Opens the outline as a sheet. */
  readonly outline?: boolean;
}

/** The name of the event by which a key reaches the conversation. */
const TO_CONVERSATION = 'ollm:conversation';

/** Whether there is no room for the outline beside the conversation. */
const isNarrow = (): boolean => matchMedia('(max-width: 1199px)').matches;

export function sendToConversation(detail: ToConversation): boolean {
  if (!document.querySelector('.flow')) return false;
  dispatchEvent(new CustomEvent(TO_CONVERSATION, { detail }));
  return true;
}

/** Does what keys and buttons elsewhere wish of the conversation. */
export function useWishes(onWish: (wish: ToConversation) => void): void {
  useEffect(() => {
    const hear = (event: Event): void => onWish((event as CustomEvent<ToConversation>).detail);
    addEventListener(TO_CONVERSATION, hear);
    return () => removeEventListener(TO_CONVERSATION, hear);
  });
}

/** Whether single keys act. */
export function keysAct(): boolean {
  return localStorage.getItem('keys') !== 'off';
}

/** `onPalette`: Ctrl K was pressed. */
export function useKeys(onPalette: () => void): void {
  useEffect(() => {
    let before = '';
    const onKeyDown = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        onPalette();
        return;
      }
      if (event.key === '.' && (event.ctrlKey || event.metaKey)) {
        document.querySelector<HTMLElement>('.stop')?.click();
        return;
      }
      if (event.key === 'Escape' && isTyping) target.blur();
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !keysAct()) return;
      if (target.closest('.question') || wasJustAsked()) return;
      if (document.querySelector('dialog:modal')) return;
      const pressed = before === 'g' ? `g ${event.key}` : event.key;
      before = event.key;
      const isDone = commandsNow().some(({ keys, run }) => keys === pressed && run() !== false);
      if (isDone) event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

/** The keys of a conversation: it registers them for as long as it is shown. */
export const CONVERSATION_COMMANDS: readonly PageCommand[] = [
  keyed('c', 'To the composer', () => focus('#composer')),
  keyed('j', 'Next event', () => step('article.event', 1)),
  keyed('k', 'Previous event', () => step('article.event', -1)),
  keyed('J', 'Next prompt', () => step('article.prompt', 1)),
  keyed('K', 'Previous prompt', () => step('article.prompt', -1)),
  keyed('e', 'Unfold this', () => unfold('one')),
  keyed('E', 'Unfold all calls of the turn', () => unfold('turn')),
  keyed('m', 'What can be done at this event', () => openMenuOfEvent()),
  {
    title: 'Outline',
    keys: 'o',
    run: () =>
      isNarrow()
        ? sendToConversation({ outline: true })
        : onceThere('.outline a[aria-current], .outline a', (entry) => entry.focus()),
  },
  { title: 'First event', keys: 'Home', run: () => sendToConversation({ goTo: 'first' }) },
  { title: 'Newest event', keys: 'End', run: () => sendToConversation({ goTo: 'newest' }) },
  { title: 'To the event of a number', keys: '#', run: () => sendToConversation({ find: '#' }) },
  { title: 'Find in this session', run: () => sendToConversation({ find: '' }) },
  { title: 'Next failure', keys: ']', run: () => step('[data-state=failed], .damage', 1) },
  { title: 'Previous failure', keys: '[', run: () => step('[data-state=failed], .damage', -1) },
];

/** The keys of a list of sessions or of found places. */
export const LIST_COMMANDS: readonly PageCommand[] = [
  keyed('j', 'Next row', () => stepInList(1)),
  keyed('k', 'Previous row', () => stepInList(-1)),
];

/** In New. */
export const COMPOSER_COMMANDS: readonly PageCommand[] = [keyed('c', 'To the composer', () => focus('#composer'))];

function keyed(keys: string, title: string, run: () => boolean): PageCommand {
  return { keys, title, run, isKeyOnly: true };
}

function focus(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  element?.focus();
  return element !== null;
}

/** The menu of the event that is looked at: it is there once the address leads to the event. */
function openMenuOfEvent(): boolean {
  const event = document.activeElement?.closest('.event') ?? document.querySelector('.event:has(> .gutter.target)');
  const number = event?.querySelector<HTMLElement>(':scope > .gutter');
  if (!event || !number) return false;
  const hasMenu = event.querySelector(':scope > .menu-anchor') !== null;
  if (!hasMenu) number.click();
  return onceThere(`#${CSS.escape(event.id)} > .menu-anchor > button`, (button) => button.click());
}

/**
 * Acts on an element of the conversation as soon as it is drawn: a key must not be lost because an answer of the server
 * is late. The next key or click is another wish.
 */
function onceThere(selector: string, act: (element: HTMLElement) => void): boolean {
  const element = () => document.querySelector<HTMLElement>(selector);
  if (element()) {
    act(element()!);
    return true;
  }
  const session = document.querySelector('.session-body');
  if (!session) return false;
  const comes = new MutationObserver(() => {
    if (!element()) return;
    stop();
    act(element()!);
  });
  const stop = (): void => {
    comes.disconnect();
    removeEventListener('keydown', stop, true);
    removeEventListener('pointerdown', stop, true);
  };
  comes.observe(session, { childList: true, subtree: true });
  addEventListener('keydown', stop, true);
  addEventListener('pointerdown', stop, true);
  return true;
}

/** To the next or previous row of a list; to its first where none has the focus. */
function stepInList(by: 1 | -1): boolean {
  const links = [...document.querySelectorAll<HTMLElement>('a.row-title, a.hit')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = links[at < 0 ? 0 : Math.max(0, Math.min(links.length - 1, at + by))];
  next?.focus();
  return next !== undefined;
}

/** To the next or previous element of a kind, seen from the top of the flow. */
function step(selector: string, by: 1 | -1): boolean {
  const flow = document.querySelector('.flow');
  if (!flow) return false;
  const top = flow.getBoundingClientRect().top + 72;
  const elements = [...flow.querySelectorAll<HTMLElement>(selector)];
  const distance = (element: HTMLElement) => element.getBoundingClientRect().top - top;
  const next = by > 0 ? elements.find((each) => distance(each) > 4) : elements.findLast((each) => distance(each) < -4);
  if (!next) return false;
  flow.scrollTop += distance(next);
  next.querySelector<HTMLElement>('a.gutter, button')?.focus({ preventScroll: true });
  return true;
}

/** Opens or closes the call that is looked at, or all calls up to the next prompt. */
function unfold(what: 'one' | 'turn'): boolean {
  const flow = document.querySelector('.flow');
  if (!flow) return false;
  const heads = [...flow.querySelectorAll<HTMLElement>('.call-head, .reasoning-line, .compaction-line')];
  const top = flow.getBoundingClientRect().top + 60;
  const at = document.activeElement;
  const focused = (at?.closest('.call') ?? at?.closest('.event, .undone'))?.querySelector<HTMLElement>(
    '[aria-expanded]',
  );
  const first = focused ?? heads.find((each) => each.getBoundingClientRect().top >= top);
  if (!first) return false;
  if (what === 'one') {
    first.click();
    first.focus({ preventScroll: true });
    return true;
  }
  const next = [...flow.querySelectorAll('article.prompt')].find(
    (prompt) => first.compareDocumentPosition(prompt) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  const isBefore = (each: Element) =>
    next === undefined || (each.compareDocumentPosition(next) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const calls = heads.slice(heads.indexOf(first)).filter((each) => each.matches('.call-head') && isBefore(each));
  const opens = calls.some((each) => each.ariaExpanded === 'false');
  for (const each of calls) if ((each.ariaExpanded === 'false') === opens) each.click();
  return true;
}
