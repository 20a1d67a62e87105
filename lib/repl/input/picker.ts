// A choice from a list on the terminal: typed text filters it, with a preview of the chosen item. It owns the bottom of
// the screen while it is open and erases it at the end.
import { type StyledLine, spanOf } from '../../display/paint.ts';
import { splitGraphemes } from '../../display/width.ts';
import { fitLine } from '../../display/wrap.ts';
import type { BottomRegion } from '../render/bottom-region.ts';
import { draftRow } from '../render/draft-row.ts';
import type { Screen } from '../render/screen.ts';
import { MODE_KEY } from './key-bindings.ts';
import { KeyReader, type TypedKey } from './keys.ts';
import type { InputPiece } from './paste.ts';

export interface PickerOptions<Item> {
  /** The question, such as `Which session?`. */
  readonly title: string;
  /** The items that match the typed text, best first. */
  readonly find: (typed: string) => readonly Item[];
  /** A row; it is cut to the width. */
  readonly rowOf: (item: Item, columns: number) => StyledLine;
  /** A few rows on the chosen one. Default: none. */
  readonly previewOf?: ((item: Item, columns: number) => readonly StyledLine[]) | undefined;
  readonly typed?: string | undefined;
  /** Calls back when `find` may find more. Returns how to end that. Default: it never does. */
  readonly onMore?: ((listener: () => void) => () => void) | undefined;
}

export interface PickerPlace {
  readonly screen: Screen;
  readonly region: BottomRegion;
}

const MOST_ITEM_ROWS = 12;
const CHOSEN = '▸ ';
const OTHER = '  ';

export class Picker<Item> {
  readonly #options: PickerOptions<Item>;
  readonly #place: PickerPlace;
  readonly #resolve: (item: Item | undefined) => void;
  readonly chosen: Promise<Item | undefined>;
  readonly #stopListening: (() => void) | undefined;
  readonly #keys = new KeyReader();
  #typed: string;
  #found: readonly Item[];
  #at = 0;

  constructor(options: PickerOptions<Item>, place: PickerPlace) {
    this.#options = options;
    this.#place = place;
    this.#typed = options.typed ?? '';
    this.#found = options.find(this.#typed);
    const { promise, resolve } = Promise.withResolvers<Item | undefined>();
    this.chosen = promise;
    this.#resolve = resolve;
    this.#stopListening = options.onMore?.(() => this.#findMore());
    this.draw();
  }

  take(piece: InputPiece): void {
    if (piece.type === 'paste') this.#type(this.#typed + piece.text.replace(/\s+/g, ' '));
    else {
      for (const key of this.#keys.readWithEscape(piece.text)) {
        if (key.text !== '') this.#type(this.#typed + key.text);
        else if (this.#act(key)) return;
      }
    }
    this.draw();
  }

  /** Nothing is chosen. */
  leave(item?: Item): void {
    this.#stopListening?.();
    this.#place.region.clear();
    this.#resolve(item);
  }

  draw(): void {
    const { screen, region } = this.#place;
    const { title, rowOf, previewOf } = this.#options;
    const columns = screen.columns - 1;
    const chosen = this.#found[this.#at];
    const preview = chosen === undefined ? [] : (previewOf?.(chosen, columns) ?? []);
    const room = Math.max(1, Math.min(MOST_ITEM_ROWS, screen.rows - 4 - preview.length));
    const from = Math.max(0, Math.min(this.#at - Math.floor(room / 2), this.#found.length - room));
    const rows = this.#found.slice(from, from + room).map((item, index): StyledLine => {
      const isChosen = from + index === this.#at;
      const row = rowOf(item, columns - CHOSEN.length);
      return fitLine([spanOf(isChosen ? CHOSEN : OTHER, 'green', 'bold'), ...row], columns);
    });
    const help = `${title} ${this.#found.length} · type to filter · Enter chooses · Escape leaves`;
    const input = draftRow({ text: this.#typed, cursor: this.#typed.length, isOpen: false }, columns);
    region.draw([[spanOf(help, 'dim')], ...rows, ...preview, input.line], [], input.column);
  }

  /** The one that the user has gone to stays chosen. */
  #findMore(): void {
    const chosen = this.#at === 0 ? undefined : this.#found[this.#at];
    this.#found = this.#options.find(this.#typed);
    this.#at = chosen === undefined ? 0 : Math.max(0, this.#found.indexOf(chosen));
    this.draw();
  }

  #type(text: string): void {
    this.#typed = text;
    this.#found = this.#options.find(text);
    this.#at = 0;
  }

  /** True once the picker is left. */
  #act({ name, sequence }: TypedKey): boolean {
    const page = Math.max(1, Math.min(MOST_ITEM_ROWS, this.#place.screen.rows - 6));
    if (sequence === MODE_KEY) return false;
    switch (name) {
      case 'up':
      case 'ctrl+p':
        this.#move(this.#at - 1);
        break;
      case 'down':
      case 'ctrl+n':
      case 'ctrl+r':
        this.#move(this.#at + 1);
        break;
      case 'pageup':
        this.#move(this.#at - page);
        break;
      case 'pagedown':
        this.#move(this.#at + page);
        break;
      case 'home':
        this.#move(0);
        break;
      case 'end':
        this.#move(this.#found.length - 1);
        break;
      case 'backspace':
        this.#type(splitGraphemes(this.#typed).slice(0, -1).join(''));
        break;
      case 'ctrl+u':
        this.#type('');
        break;
      case 'ctrl+w':
        this.#type(this.#typed.replace(/\S*\s*$/, ''));
        break;
      case 'return':
      case 'enter':
      case 'tab':
        if (this.#found.length === 0) break;
        this.leave(this.#found[this.#at]);
        return true;
      case 'escape':
      case 'alt+return':
      case 'alt+enter':
      case 'ctrl+c':
      case 'ctrl+d':
      case 'ctrl+g':
        this.leave();
        return true;
    }
    return false;
  }

  #move(to: number): void {
    this.#at = Math.max(0, Math.min(to, this.#found.length - 1));
  }
}
