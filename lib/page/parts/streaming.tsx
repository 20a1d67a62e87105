// The answer under way, below the events: drawn as the stored one will be, so that nothing moves when that takes its
// place.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { LivePartial } from '../api/live.ts';
import { plural, wordsIn } from '../model/numbers.ts';
import { Icon } from './icon.tsx';
import { GrowingProse } from './prose.tsx';

export function Streaming({ partial }: { partial: LivePartial | undefined }) {
  if (partial === undefined || (!partial.text && !partial.reasoning)) return null;
  return <Answer partial={partial} />;
}

function Answer({ partial: { text, reasoning } }: { partial: LivePartial }) {
  const box = useRef<HTMLDivElement>(null);
  useCaret(box);
  useLeastHeight(box);
  return (
    <article class="event streaming" aria-label="The answer under way" aria-busy="true">
      <span class="gutter" />
      <div ref={box} class="content">
        {reasoning ? (
          <div class="reasoning">
            <p class="reasoning-line">
              <Icon name="reasoning" />
              <span>Reasoning, {plural(wordsIn(reasoning), 'word')}</span>
            </p>
          </div>
        ) : null}
        {text ? <GrowingProse text={text} /> : null}
      </div>
    </article>
  );
}

/** Puts the caret after the last character: into the innermost of the last elements. */
function useCaret(box: { readonly current: HTMLElement | null }): void {
  const marked = useRef<HTMLElement>(undefined);
  useLayoutEffect(() => {
    let last = box.current;
    for (let next = last; next !== null && !next.matches('input, svg, hr'); ) {
      last = next;
      next = last.lastChild?.nodeType === Node.TEXT_NODE ? null : (last.lastElementChild as HTMLElement | null);
    }
    if (marked.current === last) return;
    delete marked.current?.dataset.caret;
    if (last) last.dataset.caret = '';
    marked.current = last ?? undefined;
  });
}

/** It never becomes lower while it grows: a half-written block may take less room once it is whole. */
function useLeastHeight(box: { readonly current: HTMLElement | null }): void {
  const width = useRef(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    // In a window of another width it breaks into other lines.
    if (width.current !== element.offsetWidth) element.style.minHeight = '';
    width.current = element.offsetWidth;
    element.style.minHeight = `${element.offsetHeight}px`;
  });
}
