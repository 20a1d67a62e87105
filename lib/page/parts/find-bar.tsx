// Find in this session: all its events, also those that are not loaded. Hits in view are marked without touching them.
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { server } from '../api/server.ts';
import { useResource } from '../api/use-resource.ts';
import { count } from '../model/numbers.ts';
import { announce } from '../state/announce.ts';
import { Icon } from './icon.tsx';
import './find-bar.css';

const PAUSE_MS = 150;
const MARK = 'found';

interface Props {
  address: string;
  /** The column in which the places are marked. */
  flow: RefObject<HTMLElement | null>;
  /** The text in the field at first. */
  begin: string;
  /** The event that is looked at. */
  current: number;
  onPlace: (seq: number) => void;
  onClose: () => void;
}

export function FindBar({ address, flow, begin, current, onPlace, onClose }: Props) {
  const [text, setText] = useState(begin);
  const [at, setAt] = useState<number>();
  const box = useRef<HTMLInputElement>(null);
  const wanted = text.trim();
  const number = /^#\d{1,9}$/.test(wanted) ? Number(wanted.slice(1)) : undefined;
  const found = useResource(
    wanted === '' || number !== undefined ? undefined : `${address} ${wanted}`,
    (signal) => server.findInSession({ parameters: { id: address }, query: { q: wanted }, signal }),
    PAUSE_MS,
  );
  const places = number !== undefined ? [number] : wanted === '' ? [] : (found.value?.places ?? []);

  // Before anything is drawn: the next key is meant for the box already.
  useLayoutEffect(() => {
    box.current?.focus();
    box.current?.setSelectionRange(begin.length, begin.length);
  }, []);
  const go = (index: number): void => {
    const next = (index + places.length) % places.length;
    setAt(next);
    onPlace(places[next]!);
  };
  useEffect(() => {
    if (number !== undefined) return onPlace(number);
    if (places.length === 0) {
      setAt(undefined);
      if (found.value && wanted !== '') announce('Nothing was found');
      return;
    }
    const nearest = places.findIndex((seq) => seq >= current);
    go(nearest < 0 ? places.length - 1 : nearest);
    announce(`${count(places.length)} found`);
  }, [found.value, number]);
  useMarks(flow.current, wanted);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      onClose();
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (number !== undefined) onClose();
      else if (places.length > 0) go((at ?? -1) + (event.shiftKey ? -1 : 1));
    }
  };
  return (
    <search class="find-bar" aria-label="Find in this session" onKeyDown={onKeyDown}>
      <Icon name="search" />
      <input
        ref={box}
        type="search"
        value={text}
        aria-label="Find in this session"
        placeholder="Find in this session"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <span class="meta">
        {wanted === '' || number !== undefined || found.value === undefined
          ? ''
          : places.length === 0
            ? 'nothing'
            : `${count((at ?? 0) + 1)} of ${count(places.length)}${found.value.isCut ? ' or more' : ''}`}
      </span>
      {(['Previous', 'Next'] as const).map((name, index) => (
        <button
          key={name}
          type="button"
          class="button plain square"
          aria-label={name}
          disabled={places.length === 0}
          onClick={() => go((at ?? -1) + (index === 0 ? -1 : 1))}
        >
          <Icon name={index === 0 ? 'up' : 'down'} />
        </button>
      ))}
      <button type="button" class="button plain square" aria-label="Close" onClick={onClose}>
        <Icon name="cross" />
      </button>
    </search>
  );
}

/** Marks the text wherever it is in view, as long as the bar is open. */
function useMarks(flow: HTMLElement | null, text: string): void {
  useEffect(() => {
    if (!('highlights' in CSS)) return undefined;
    if (!flow || text === '') return undefined;
    let frame = 0;
    const mark = (): void => {
      CSS.highlights.set(MARK, new Highlight(...rangesOf(flow, text.toLowerCase())));
    };
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(mark);
    });
    observer.observe(flow, { childList: true, subtree: true, characterData: true });
    mark();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(MARK);
    };
  }, [text]);
}

function rangesOf(root: Element, text: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const content = node.textContent!.toLowerCase();
    // A letter whose lower case is longer would put the marks elsewhere.
    if (content.length !== node.textContent!.length) continue;
    for (let at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + text.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + text.length);
      ranges.push(range);
    }
  }
  return ranges;
}
