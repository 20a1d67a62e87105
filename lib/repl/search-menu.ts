// Hits below a line with `/search WORDS` while it is typed. They are looked for once the typing pauses; until then the
// ones of the words before stay. The last word may be the beginning of one.
import type { App } from '../app/app.ts';
import { NOT_ALL_INDEXED } from '../app/import/not-indexed.ts';
import { meantIn, NOTHING_FOUND } from '../app/sessions/read/hit-words.ts';
import type { SearchAnswer, SearchHit } from '../app/sessions/read/search-sessions.ts';
import { type StyledLine, type StyledSpan, spanOf } from '../display/paint.ts';
import { relativeTime } from '../display/relative-time.ts';
import { sanitizeLine } from '../display/sanitize.ts';
import { withShortIds } from '../display/short-id.ts';
import { fitWidth, textWidth } from '../display/width.ts';
import { systemSleep } from '../platform/waiting.ts';

const LOOKING = 'looking…';
const SEARCH = /^\/search\s+(?<words>\S[^\n]*)$/;
/** A break in the typing. */
const PAUSE_MS = 150;
/** How long sessions that have changed are read before the first search. */
const SYNC_MS = 500;
/** How long sessions of other programs are read before the words are searched for again. */
const LOOK_MS = 500;
const MOST_HITS = 6;
const LEAST_CHARACTERS = 2;
/** The last word, without the end of a phrase and without the value of a filter. */
const LAST_WORD = /(?:^|\s)[\p{L}\p{N}]{3,}$/u;

interface Answered {
  readonly answer: SearchAnswer;
  /** Whether new sessions of other programs are read for it. */
  readonly isLooking: boolean;
}

export class SearchMenu {
  readonly #app: () => App;
  readonly #listeners = new Set<() => void>();
  #asked = '';
  #timer: NodeJS.Timeout | undefined;
  #searching: AbortController | undefined;
  #answered: Answered | undefined;
  /** Whether all sessions of other programs were read since the line began. */
  #hasLooked = false;
  #isStopped = false;

  /** `app`: with the sessions that are kept. */
  constructor(app: () => App) {
    this.#app = app;
  }

  /** Calls back when there are other hits for the same text. */
  readonly onMore = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Empty for another command, and until the first hits are there. */
  rowsFor(text: string, columns: number): readonly StyledLine[] {
    const words = SEARCH.exec(text)?.groups?.words?.trimEnd() ?? '';
    if (words !== this.#asked) this.#askSoon(words);
    if (words.length < LEAST_CHARACTERS || this.#answered === undefined) return [];
    const { hits, isCut, leftOut, ...answer } = this.#answered.answer;
    const nowMs = this.#app().clock.now();
    const found = hits.length === 0 ? NOTHING_FOUND : `Enter shows ${isCut ? 'more, ' : ''}their addresses`;
    const { isLooking } = this.#answered;
    // A session that changes while one types, such as the present one, is read by Enter.
    const missing = isLooking ? [] : leftOut.filter((sentence) => sentence === NOT_ALL_INDEXED);
    const said = [isLooking ? LOOKING : found, ...meantIn(answer), ...missing].join(' · ');
    return [...hits.map((hit) => rowOf(hit, nowMs, columns)), [spanOf(fitWidth(said, columns), 'dim')]];
  }

  stop(): void {
    this.#isStopped = true;
    this.#askSoon('');
    this.#listeners.clear();
  }

  #askSoon(words: string): void {
    this.#asked = words;
    clearTimeout(this.#timer);
    this.#searching?.abort();
    if (words.length < LEAST_CHARACTERS) {
      this.#answered = undefined;
      this.#hasLooked = false;
      return;
    }
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#ask(words), PAUSE_MS).unref();
  }

  async #ask(words: string): Promise<void> {
    const searching = new AbortController();
    const { signal } = searching;
    this.#searching = searching;
    const isFirst = this.#answered === undefined;
    let answer = await this.#search(words, { signal, syncMs: isFirst ? SYNC_MS : 0 });
    // After an update, the catalogue has no session of another program until one looks for them.
    while (answer !== undefined && mayFindMore(answer) && !this.#hasLooked && !signal.aborted) {
      this.#show({ answer, isLooking: true });
      this.#hasLooked = await this.#look(signal);
      if (!signal.aborted) answer = await this.#search(words, { signal, syncMs: 0 });
    }
    if (!signal.aborted && answer !== undefined) this.#show({ answer, isLooking: false });
  }

  #show(answered: Answered): void {
    this.#answered = answered;
    for (const listener of this.#listeners) listener();
  }

  /** Returns whether there is nothing more to read. */
  async #look(signal: AbortSignal): Promise<boolean> {
    const { syncSessions } = await import('../app/import/sync-sessions.ts');
    const options = { signal, budgetMs: LOOK_MS, only: 'others' } as const;
    const synced = await syncSessions(this.#app(), options).catch(() => undefined);
    // The process that is at it brings them in.
    if (synced?.kind === 'busy') await systemSleep(LOOK_MS, signal).catch(() => {});
    if (signal.aborted || synced?.kind === 'busy') return false;
    return synced?.kind !== 'done' || synced.report.left === 0;
  }

  /** Undefined where the words cannot be searched for yet, and where the catalogue cannot be used: Enter says why. */
  async #search(
    words: string,
    options: { readonly signal: AbortSignal; readonly syncMs: number },
  ): Promise<SearchAnswer | undefined> {
    const { searchSessions } = await import('../app/sessions/read/search-sessions.ts');
    const isOpen = LAST_WORD.test(words);
    const request = { text: isOpen ? `${words}*` : words, limit: MOST_HITS };
    const answer = await searchSessions(this.#app(), request, { ...options, passagesMs: 0 }).catch(() => undefined);
    return isOpen && answer ? { ...answer, didYouMean: answer.didYouMean?.replace(/\*$/, '') } : answer;
  }
}

function mayFindMore({ hits, leftOut }: SearchAnswer): boolean {
  return hits.every(({ isNear }) => isNear) || leftOut.includes(NOT_ALL_INDEXED);
}

function rowOf({ address, at, title = '', why, excerpt }: SearchHit, nowMs: number, columns: number): StyledLine {
  const place = sanitizeLine(withShortIds(address));
  const name = why === 'title' || why === 'filter' ? '' : sanitizeLine(title);
  const about = [at === undefined ? '' : relativeTime(at, nowMs), name].filter(Boolean).join(' · ');
  const head = fitWidth(`${place}  ${about}`, Math.max(1, Math.floor(columns / 2)));
  const room = columns - textWidth(head) - 2;
  const spans: StyledSpan[] = [spanOf(`${head}  `, 'dim')];
  return room < 1 ? spans : [...spans, spanOf(fitWidth(sanitizeLine(excerpt.text), room))];
}
