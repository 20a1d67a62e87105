// All sessions: the live ones on top, then all, by project or by time. Only the rows in view are in the document.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { inAddress } from '../api/in-address.ts';
import { ask } from '../api/request.ts';
import type { SentSessionRow, SessionList } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';
import { count, plural } from '../model/numbers.ts';
import { nameOf } from '../model/project-name.ts';
import { isListed, linesOf, type SessionFilter, type SessionLine, withNewest } from '../model/session-lines.ts';
import { FirstStart, NotReadIn } from '../parts/first-start.tsx';
import { Icon } from '../parts/icon.tsx';
import { ListHead } from '../parts/list-head.tsx';
import { SessionFilters } from '../parts/session-filters.tsx';
import { SessionLine as Row } from '../parts/session-row.tsx';
import { FailureState, Skeleton, State } from '../parts/state.tsx';
import { go, sessionsLink } from '../router.ts';
import { notePlace, placeKept } from '../state/kept-place.ts';
import { useTitle } from '../state/title.ts';

/** Rows of the first page, so that it comes soon, and of those behind it. */
const FIRST = 100;
const PAGE = 1000;
const DAY_MS = 86_400_000;

interface Props {
  filter: SessionFilter;
  /** Asked for again and again. */
  newest: SessionList | undefined;
}

export function SessionsView({ filter, newest }: Props) {
  const { project, agent, days } = filter;
  const [order, setOrder] = useState<'project' | 'time'>(localStorage.getItem('order') === 'time' ? 'time' : 'project');
  const list = useAllSessions(filter);
  useTitle('Sessions');
  const isLoaded = list.value !== undefined;
  // What was asked for before the list came says nothing about what is gone from it.
  const before = useRef({ value: list.value, newest });
  if (before.current.value !== list.value) before.current = { value: list.value, newest };
  const later = newest === before.current.newest ? undefined : newest;
  const rows = useMemo(
    () => (isLoaded ? withNewest(list.value!.sessions, later, (row) => isListed(row, filter, Date.now())) : []),
    [list.value, later, project, agent, days],
  );
  const lines = useMemo(() => linesOf(rows, project === undefined ? order : 'time'), [rows, order, project]);
  if (list.failure && !isLoaded) return <FailureState failure={list.failure} retry={list.reload} />;
  const isFiltered = agent !== undefined || days !== undefined;
  const agents = [...new Set([...rows, ...(newest?.sessions ?? [])].map((row) => row.agent))];
  const total = Math.max(list.value?.total ?? 0, rows.length);
  return (
    <>
      <ListHead<'project' | 'time'>
        title={project === undefined ? 'Sessions' : project === '' ? 'No project' : nameOf(project)}
        meta={
          isLoaded &&
          (agents.length > 1 && agent === undefined
            ? `${plural(total, 'session')} of ${plural(agents.length, 'agent')}`
            : total > 0 && count(total))
        }
        isBare={isLoaded && rows.length === 0 && !isFiltered}
        search={{ onSubmit: (text) => go(`/search?q=${inAddress(text)}`) }}
        filters={<SessionFilters filter={filter} agents={agents} />}
        choice={{
          label: 'Order',
          options: [
            ['By project', 'project'],
            ['By time', 'time'],
          ],
          value: order,
          onPick(each) {
            setOrder(each);
            localStorage.setItem('order', each);
          },
        }}
      />
      {!isLoaded ? (
        <div class="view-body" tabIndex={0}>
          <Skeleton rows={8} areRows what="sessions" />
        </div>
      ) : rows.length > 0 ? (
        <>
          <NotReadIn rows={rows} onRead={list.reload} />
          <VirtualList lines={lines} total={total} isByTime={project === undefined && order === 'time'} />
        </>
      ) : isFiltered ? (
        <NothingListed project={project} />
      ) : (
        <FirstStart project={project} />
      )}
    </>
  );
}

function NothingListed({ project }: { project: string | undefined }) {
  return (
    <div class="view-body" tabIndex={0}>
      <State
        icon="search"
        title="No session is like that"
        actions={
          <a class="button" href={sessionsLink({ project })}>
            All agents, any time
          </a>
        }
      />
    </div>
  );
}

/** Page by page: what has come is shown. */
function useAllSessions(filter: SessionFilter) {
  const { project, agent, days } = filter;
  const key = `sessions ${project} ${agent} ${days}`;
  const [soFar, setSoFar] = useState<{ key: string; value: SessionList }>();
  const list = useResource(key, async (signal) => {
    const now = Date.now();
    const sessions: SentSessionRow[] = [];
    let after: string | undefined;
    for (;;) {
      const query = {
        project: project || undefined,
        provider: agent,
        since: days === undefined ? undefined : new Date(now - days * DAY_MS).toISOString(),
        limit: after === undefined ? FIRST : PAGE,
        after,
      };
      const page = await ask<SessionList>('/sessions', { query, signal });
      sessions.push(...page.sessions.filter((row) => isListed(row, filter, now)));
      // The server has no word for sessions without a project.
      const total = project === '' ? sessions.length : page.total;
      const all = { key, value: { ...page, total, sessions: [...sessions] } };
      after = page.next;
      if (after === undefined) return all;
      setSoFar(all);
    }
  });
  // Another filter begins with what comes first for it, and not with what the one before had listed.
  const shown = [list.value, soFar].find((each) => each?.key === key);
  return { ...list, value: shown?.value };
}

function VirtualList({ lines, total, isByTime }: { lines: readonly SessionLine[]; total: number; isByTime: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const tall = useRef<HTMLDivElement>(null);
  const [window_, setWindow] = useState({ top: 0, height: 900 });
  const rowHeight = matchMedia('(max-width: 719px)').matches ? 64 : 52;
  const heightOf = (line: SessionLine) => (line.kind === 'row' ? rowHeight : 42);
  const offsets = useMemo(() => {
    const sums = [0];
    for (const line of lines) sums.push(sums.at(-1)! + heightOf(line));
    return sums;
  }, [lines, rowHeight]);
  const first = Math.max(0, lowerBound(offsets, window_.top - window_.height) - 1);
  const last = Math.min(lines.length, lowerBound(offsets, window_.top + 2 * window_.height) + 1);
  // What comes above moves nothing that is read; at the top of the list it is what is looked for.
  const before = useRef({ lines, offsets });
  useLayoutEffect(() => {
    const { lines: oldLines, offsets: oldOffsets } = before.current;
    before.current = { lines, offsets };
    const { scrollTop = 0 } = box.current ?? {};
    if (scrollTop === 0 || oldLines === lines) return;
    const at = Math.max(0, lowerBound(oldOffsets, scrollTop + 1) - 1);
    const held = oldLines.slice(at).find((line) => line.kind === 'row');
    const now = held && lines.findIndex((line) => keyOf(line) === keyOf(held));
    if (now === undefined || now < 0) return;
    box.current!.scrollTop += offsets[now]! - oldOffsets[oldLines.indexOf(held!)]!;
  }, [lines]);
  useLayoutEffect(() => {
    if (tall.current) tall.current.style.height = `${offsets.at(-1)}px`;
    for (const element of tall.current?.children ?? []) {
      const row = element as HTMLElement;
      row.style.transform = `translateY(${offsets[Number(row.dataset.index)]}px)`;
    }
  });
  // Where Back leads to.
  const kept = useRef(placeKept());
  const leave = (): void => {
    kept.current = 0;
  };
  useLayoutEffect(() => {
    if (kept.current > 0 && box.current) box.current.scrollTop = kept.current;
  });
  useEffect(() => {
    const measure = (): void => {
      if (box.current) setWindow({ top: box.current.scrollTop, height: box.current.clientHeight });
    };
    measure();
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const links = [...(box.current?.querySelectorAll<HTMLElement>('a.row-title') ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
  };
  return (
    <div
      ref={box}
      class="session-list"
      role="grid"
      aria-label="Sessions"
      aria-rowcount={total}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight } }) => {
        // Rows that are still to come make the list long enough; until then it is at another place for a while.
        if (kept.current === 0 || scrollTop >= kept.current) kept.current = 0;
        if (kept.current === 0) notePlace(scrollTop);
        setWindow({ top: scrollTop, height: clientHeight });
      }}
      onWheel={leave}
      onTouchMove={leave}
      onPointerDown={leave}
      onKeyDown={onKeyDown}
    >
      <div ref={tall} class="tall">
        {lines.slice(first, last).map((line, index) => (
          <div key={keyOf(line)} data-index={first + index} class="placed" role="presentation">
            {line.kind === 'row' ? (
              <Row row={line.row} index={first + index + 1} withProject={isByTime} />
            ) : (
              <GroupHead line={line} />
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

function keyOf(line: SessionLine): string {
  return line.kind === 'row' ? line.row.address : line.kind === 'live' ? 'live' : `group ${line.name}`;
}

function GroupHead({ line }: { line: Exclude<SessionLine, { kind: 'row' }> }) {
  const name = line.kind === 'live' ? 'Live' : line.name === '' ? 'No project' : nameOf(line.name);
  return (
    <div class="group-head" role="row">
      <span role="gridcell" class="group-name">
        {line.kind === 'live' ? <span class="dot runs" /> : <Icon name="folder" />}
        <span class="cut">{name}</span>
        <span class="meta">{count(line.count)}</span>
      </span>
      {line.kind === 'live' || line.isWhole ? null : (
        <span role="gridcell">
          <a href={sessionsLink({ project: line.name })}>Show all</a>
        </span>
      )}
    </div>
  );
}

function lowerBound(sums: readonly number[], value: number): number {
  let [low, high] = [0, sums.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
