// The palette: commands of the view, views, projects and sessions by a few letters of their names.
import fuzzysort from 'fuzzysort';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { inAddress } from '../api/in-address.ts';
import { server } from '../api/server.ts';
import type { NewestSessions, SentSearchHit } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';
import { nameOf } from '../model/short-names.ts';
import { oneLine } from '../model/visible.ts';
import { go, sessionLink, sessionsLink } from '../router.ts';
import { offeredCommands, type PageCommand } from '../state/commands.ts';
import './palette.css';

interface Item {
  readonly kind: 'Command' | 'Session' | 'Project' | 'Search';
  readonly label: string;
  readonly note?: string | undefined;
  readonly run: () => void;
}

const MOST = 40;
/** Fewer letters than these find too much among the titles of all sessions. */
const LEAST_LETTERS = 3;

interface Props {
  newest: NewestSessions | undefined;
  /** Letters that were typed before it was there. */
  begin: string;
  onClose: () => void;
}

export function Palette({ newest, begin, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [text, setText] = useState(begin);
  const [at, setAt] = useState(0);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const [commands] = useState(offeredCommands);
  const trimmed = text.trim();
  const titled = useResource(
    trimmed.length >= LEAST_LETTERS ? trimmed : undefined,
    (signal) => server.search({ query: { q: `title:"${trimmed.replaceAll('"', ' ')}"`, limit: 20 }, signal }),
    150,
  );
  const known = useMemo(() => itemsOf(commands, newest), [commands, newest]);
  const items = useMemo(
    () => found(known, trimmed, (titled.value?.hits ?? []).map(sessionItem)),
    [known, trimmed, titled.value],
  );
  useEffect(() => setAt(0), [trimmed]);
  useEffect(
    () => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }),
    [at, items],
  );
  const pick = (item: Item | undefined): void => {
    if (item === undefined) return;
    dialog.current?.close();
    item.run();
  };
  return (
    <dialog ref={dialog} class="palette" aria-label="Go to, or do" onClose={onClose} closedby="any">
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-items"
        aria-activedescendant={items.length === 0 ? undefined : `palette-${at}`}
        aria-label="A command, a session or a project"
        placeholder="A command, a session or a project"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (by !== undefined) {
            event.preventDefault();
            if (items.length > 0) setAt((at + by + items.length) % items.length);
          }
          if (event.key === 'Enter' && !event.isComposing) {
            event.preventDefault();
            pick(items[at]);
          }
        }}
      />
      <div ref={list} id="palette-items" role="listbox" aria-label="Found">
        {items.map((item, index) => (
          <div
            key={`${item.kind} ${item.label} ${index}`}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            tabIndex={-1}
            onMouseDown={(event) => {
              event.preventDefault();
              pick(item);
            }}
          >
            <span class="meta kind">{item.kind}</span>
            <span class="cut grow" dir="auto">
              {item.label}
            </span>
            {item.note === undefined ? null : <span class="meta cut">{item.note}</span>}
          </div>
        ))}
        {items.length === 0 ? <p class="meta">Nothing has such a name.</p> : null}
      </div>
    </dialog>
  );
}

function itemsOf(commands: readonly PageCommand[], newest: NewestSessions | undefined): readonly Item[] {
  return [
    ...commands.map(
      ({ title, keys, run }): Item => ({ kind: 'Command', label: title, note: keys, run: () => void run() }),
    ),
    ...(newest?.counts.projects ?? []).flatMap(({ project }): Item[] =>
      project === undefined
        ? []
        : [{ kind: 'Project', label: nameOf(project), note: project, run: () => go(sessionsLink({ project })) }],
    ),
    ...(newest?.sessions ?? []).map(sessionItem),
  ];
}

/** A session, or a hit in one. */
function sessionItem({ address, title, project }: Pick<SentSearchHit, 'address' | 'title' | 'project'>): Item {
  return {
    kind: 'Session',
    label: oneLine(title ?? address),
    note: project === undefined ? undefined : nameOf(project),
    run: () => go(sessionLink(address.split('#', 1)[0]!)),
  };
}

function found(known: readonly Item[], text: string, further: readonly Item[]): readonly Item[] {
  if (text === '') return known.slice(0, MOST);
  const best = fuzzysort
    .go(text, known as Item[], { keys: ['label', 'note'], limit: MOST, threshold: 0.3 })
    .map(({ obj }) => obj);
  const labels = new Set(best.map(({ label }) => label));
  const search: Item = {
    kind: 'Search',
    label: `Search for “${oneLine(text)}” in all sessions`,
    run: () => go(`/search?q=${inAddress(text)}`),
  };
  return [...best, ...further.filter(({ label }) => !labels.has(label)), search];
}
