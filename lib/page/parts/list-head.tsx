// The head of a list: its name and how much there is, a search box, and a choice.
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useCommands } from '../state/commands.ts';
import { Choice, type ChoiceProps } from './choice.tsx';
import { Icon } from './icon.tsx';
import { ThemeButton } from './theme-button.tsx';
import './list-head.css';

interface Props<Value> {
  title: string;
  /** There is nothing to search or to put in order. */
  isBare?: boolean;
  /** How much there is. */
  meta: ComponentChildren;
  search: {
    readonly value?: string;
    readonly onInput?: (text: string) => void;
    readonly onSubmit: (text: string) => void;
    readonly isFocused?: boolean;
  };
  /** The filters of the list. */
  filters?: ComponentChildren;
  choice: ChoiceProps<Value>;
}

export function ListHead<Value>({ title, isBare = false, meta, search, filters, choice }: Props<Value>) {
  const box = useRef<HTMLInputElement>(null);
  useCommands([{ title: 'Search', keys: '/', run: () => box.current?.focus() }]);
  return (
    <header class="view-head">
      <div class="view-title">
        <h1 class="cut" dir="auto">
          {title}
        </h1>
        <span class="meta grow">{meta}</span>
        <ThemeButton class="phone-only" />
      </div>
      {isBare ? null : (
        <div class="tools">
          <form
            class="search-box"
            role="search"
            onSubmit={(event) => {
              event.preventDefault();
              search.onSubmit(new FormData(event.currentTarget).get('q') as string);
            }}
          >
            <Icon name="search" />
            <input
              ref={box}
              name="q"
              type="search"
              value={search.value}
              autofocus={search.isFocused}
              placeholder="Search every message, command and output"
              aria-label="Search every message, command and output"
              onInput={(event) => search.onInput?.(event.currentTarget.value)}
            />
            {search.value === undefined ? <kbd aria-hidden="true">/</kbd> : null}
          </form>
          {filters}
          <Choice {...choice} />
        </div>
      )}
    </header>
  );
}
