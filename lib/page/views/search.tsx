// Places with marked words, grouped by session. Searches as one types; a query that is no longer wanted is aborted.
import { useEffect, useRef, useState } from 'preact/hooks';
import { inAddress } from '../api/in-address.ts';
import { server, wordsOfError } from '../api/server.ts';
import type { SentSearchAnswer, SentSearchHit } from '../api/types.ts';
import { useReadingResource, useResource } from '../api/use-resource.ts';
import { count, plural, shortTime } from '../model/numbers.ts';
import { nameOf } from '../model/short-names.ts';
import { oneLine, visible } from '../model/visible.ts';
import { AgentMark } from '../parts/icon.tsx';
import { ListHead } from '../parts/list-head.tsx';
import { Skeleton, State } from '../parts/state.tsx';
import { go, sessionLink } from '../router.ts';
import { announce } from '../state/announce.ts';
import { useListKeys } from '../state/list-keys.ts';
import { useTitle } from '../state/title.ts';
import './search.css';

const PAUSE_MS = 150;
/** A line that is not understood may be one that is still typed, such as `agent:cl`: after this rest it is an error. */
const REST_MS = 1_000;
const NOT_UNDERSTOOD = 400;
const MOST = 100;
/** Hits of one session that are shown at once. */
const OF_ONE = 4;
const NAMES: Readonly<Record<string, string>> = { user: 'Prompt', assistant: 'Reply', system: 'System', tool: 'Tool' };
/** What a session was found by. */
const BY: Readonly<Record<string, string>> = { title: 'Title', branch: 'Branch', project: 'Project' };
/** Roles whose text is shown as code. */
const CODE: ReadonlySet<string> = new Set(['call', 'output']);
/** Chinese and Japanese characters say in two what takes others three. */
const DENSE = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

/** Kinds of messages that can be searched by themselves. */
type Role = 'user' | 'assistant' | 'tool';

export function SearchView({ query }: { query: string }) {
  const [text, setText] = useState(query);
  /** The line at which the typing rested, or that was entered. */
  const [rested, setRested] = useState(query);
  const [role, setRole] = useState<Role>();
  useEffect(() => {
    setText(query);
    setRested(query);
  }, [query]);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useTitle(text === '' ? 'Search' : text);
  const body = useRef<HTMLDivElement>(null);
  useListKeys(body);
  const trimmed = text.trim();
  const isLong = trimmed.length >= (DENSE.test(trimmed) ? 2 : 3);
  const search = (only: Role | undefined) => (signal: AbortSignal) =>
    server.search({ query: { q: trimmed, role: only, limit: MOST, counted: true }, signal });
  const everything = useResource(isLong ? trimmed : undefined, search(undefined), PAUSE_MS);
  const ofRole = useResource(isLong && role ? `${role} ${trimmed}` : undefined, search(role), PAUSE_MS);
  const found = role === undefined ? everything : ofRole;
  const isTyped = text !== rested && !/\s$/.test(text);
  const failure = isTyped && found.failure?.status === NOT_UNDERSTOOD ? undefined : found.failure;
  // The address contains the search, so that it can be kept and opened again.
  useEffect(() => {
    const timer = setTimeout(() => {
      const address = trimmed === '' ? '/search' : `/search?q=${inAddress(trimmed)}`;
      if (location.pathname === '/search' && location.pathname + location.search !== address)
        history.replaceState(history.state, '', address);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [trimmed]);
  const hits = found.value?.hits ?? [];
  const groups = [...Map.groupBy(hits, ({ address }) => address.split('#', 1)[0]!)];
  useReadingResource(found);
  const announced = useRef('');
  useEffect(() => {
    if (found.value === undefined) return;
    const text = placesIn(found.value, hits, groups.length);
    // An answer that is asked for again while sessions are read is news only if it differs.
    const news = `${role} ${trimmed}: ${text}`;
    if (announced.current !== news) announce(text);
    announced.current = news;
  }, [found.value]);
  return (
    <>
      <ListHead<Role | undefined>
        title="Search"
        meta={found.value && placesIn(found.value, hits, groups.length)}
        search={{
          value: text,
          isFocused: true,
          onInput: setText,
          onSubmit: () => {
            setRested(text);
            go(`/search?q=${inAddress(text)}`, { replace: true });
          },
        }}
        choice={{
          label: 'Where',
          options: [
            [`Everything${countOf(everything.value)}`, undefined],
            [`Prompts${countOf(everything.value, 'user')}`, 'user'],
            [`Replies${countOf(everything.value, 'assistant')}`, 'assistant'],
            [`Tools${countOf(everything.value, 'tool')}`, 'tool'],
          ],
          value: role,
          onPick: setRole,
        }}
      />
      <div ref={body} class="view-body" tabIndex={0}>
        <div class="hits">
          {failure ? <State title="The search could not be done">{wordsOfError(failure)}</State> : null}
          {isLong && found.value === undefined && !failure ? <Skeleton rows={4} what="places" /> : null}
          {!isLong ? (
            <p class="meta">
              Type three characters or more. Quotes keep words together, a minus leaves out: "connection reset" -test.
              agent:claude, since:2w, title:deadlock and path:src/queue.ts narrow it.
            </p>
          ) : null}
          {isLong && found.value && hits.length === 0 && !found.isLoading && !found.failure ? (
            <State icon="search" title={`Nothing matches “${oneLine(trimmed)}”`}>
              {found.value.leftOut.join(' ') || 'Search looks at all sessions that were read in.'}
            </State>
          ) : null}
          {found.value?.didYouMean === undefined ? null : (
            <p class="meta">
              Did you mean{' '}
              <a href={`/search?q=${inAddress(found.value.didYouMean)}`}>{oneLine(found.value.didYouMean)}</a>?
            </p>
          )}
          {found.value !== undefined && hits.length > 0 && found.value.leftOut.length > 0 ? (
            <p class="meta">{found.value.leftOut.join(' ')}</p>
          ) : null}
          {found.value?.isCut && hits.length > 0 ? (
            <p class="meta">The best {count(hits.length)} are shown. More words make them fewer.</p>
          ) : null}
          {groups.map(([session, places]) => (
            <Group key={session} session={session} places={places} />
          ))}
        </div>
      </div>
    </>
  );
}

/** The count after the name of a filter: of all places, also of those that are not shown. */
function countOf(answer: SentSearchAnswer | undefined, role?: SentSearchHit['role']): string {
  if (answer === undefined) return '';
  const { hits, counts } = answer;
  if (counts === undefined) return ` ${count(hits.filter((hit) => role === undefined || hit.role === role).length)}`;
  const number = role === undefined ? counts.hits : (counts.roles[role] ?? 0);
  return ` ${count(number)}${counts.isWhole ? '' : '+'}`;
}

function placesIn({ counts }: SentSearchAnswer, hits: readonly SentSearchHit[], sessions: number): string {
  const more = counts === undefined || counts.isWhole ? '' : 'More than ';
  return `${more}${plural(counts?.hits ?? hits.length, 'place')} in ${plural(counts?.sessions ?? sessions, 'session')}`;
}

function Group({ session, places }: { session: string; places: readonly SentSearchHit[] }) {
  const [isWhole, setIsWhole] = useState(false);
  const [first] = places;
  const shown = isWhole ? places : places.slice(0, OF_ONE);
  const newest = places
    .flatMap(({ at }) => at ?? [])
    .sort()
    .at(-1);
  return (
    <section aria-label={oneLine(first?.title ?? session)}>
      <h2 class="hit-session">
        <AgentMark agent={first?.agent ?? 'ollm'} />
        <a class="cut" href={sessionLink(session)}>
          {oneLine(first?.title ?? session)}
        </a>
        <span class="meta cut">{first?.project === undefined ? '' : oneLine(nameOf(first.project))}</span>
        <span class="meta">{newest === undefined ? '' : shortTime(new Date(newest), new Date())}</span>
      </h2>
      {shown.map((hit) => (
        <a
          key={hit.address}
          class="hit"
          data-row
          href={sessionLink(session, hit.seq === undefined ? '' : `#${hit.seq}`)}
        >
          <span class="meta kind">{NAMES[hit.role ?? ''] ?? BY[hit.why] ?? 'Session'}</span>
          <span class={`words grow${CODE.has(hit.kind) ? ' code' : ''}`}>{marked(hit.excerpt)}</span>
          <span class="meta">
            {[hit.isNear ? 'near' : '', hit.seq === undefined ? '' : `#${hit.seq}`].join(' ').trim()}
          </span>
        </a>
      ))}
      {places.length > shown.length ? (
        <button type="button" class="show-all" onClick={() => setIsWhole(true)}>
          {plural(places.length - shown.length, 'more place')}
        </button>
      ) : null}
    </section>
  );
}

/** The excerpt with its hits marked. */
function marked({ text, marks }: SentSearchHit['excerpt']) {
  let end = 0;
  const pieces = marks.flatMap(([from = 0, to = 0], index) => {
    const between = text.slice(end, from);
    end = to;
    return [flat(between), <mark key={index}>{flat(text.slice(from, to))}</mark>];
  });
  return [...pieces, flat(text.slice(end))];
}

function flat(text: string): string {
  return visible(text).replace(/\s+/g, ' ');
}
