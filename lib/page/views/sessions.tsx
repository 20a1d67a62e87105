// All sessions: the live ones on top, then all, by project or by time. Only the rows in view are in the document.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { inAddress } from '../api/in-address.ts';
import type { NewestSessions } from '../api/types.ts';
import { isLive } from '../model/live-row.ts';
import { count, plural } from '../model/numbers.ts';
import { isListed, linesByProject, linesByTime, type SessionFilter, type SessionLine } from '../model/session-lines.ts';
import { nameOf } from '../model/short-names.ts';
import { FailureState } from '../parts/failure-state.tsx';
import { Icon } from '../parts/icon.tsx';
import { lazy } from '../parts/lazy.tsx';
import { ListHead } from '../parts/list-head.tsx';
import { SessionFilters } from '../parts/session-filters.tsx';
import { SessionLine as Row } from '../parts/session-row.tsx';
import { Skeleton, State } from '../parts/state.tsx';
import { go, sessionsLink } from '../router.ts';
import { notePlace, placeKept } from '../state/kept-place.ts';
import { stepInList, useListKeys } from '../state/list-keys.ts';
import { type SessionWindow, useSessionWindow } from '../state/session-window.ts';
import { useTitle } from '../state/title.ts';
import './sessions.css';

const FirstStart = lazy(async () => (await import('../parts/first-start.tsx')).FirstStart, { isView: true });

interface Props {
  filter: SessionFilter;
  newest: NewestSessions | undefined;
}

export function SessionsView({ filter, newest }: Props) {
  const { project, agent, days } = filter;
  const [order, setOrder] = useState<'project' | 'time'>(localStorage.getItem('order') === 'time' ? 'time' : 'project');
  const isByProject = project === undefined && order === 'project';
  const list = useSessionWindow(filter, isByProject, newest);
  useTitle('Sessions');
  const { total, rows } = list;
  const isLoaded = total !== undefined;
  const live = (newest?.sessions ?? []).filter((row) => isLive(row) && isListed(row, filter, Date.now()));
  // Sessions that run are above the others. They were active last: the first block has them.
  const above = new Set(live.map(({ address }) => address));
  const skipped = isByProject ? 0 : countFirst(list, above);
  const lines = useMemo(() => {
    if (total === undefined) return [];
    if (isByProject) return linesByProject(live, rows, list.counts?.projects ?? []);
    const first = Array.from({ length: Math.min(total, FIRST) }, (_, index) => list.rowAt(index)).filter(
      (row) => row === undefined || !above.has(row.address),
    );
    return linesByTime(live, {
      total: total - skipped,
      rowAt: (index) => (index < first.length ? first[index] : list.rowAt(index + skipped)),
    });
  }, [list, newest, isByProject]);
  if (list.failure && !isLoaded) return <FailureState failure={list.failure} retry={list.reload} isPage />;
  const isFiltered = agent !== undefined || days !== undefined;
  const agents = newest?.counts.agents.map((each) => each.agent) ?? [...new Set(rows.map((row) => row.agent))];
  return (
    <>
      <ListHead<'project' | 'time'>
        title={project === undefined ? 'Sessions' : project === '' ? 'No project' : nameOf(project)}
        meta={
          isLoaded &&
          (agents.length > 1 && agent === undefined && project === undefined
            ? `${plural(total, 'session')} of ${plural(agents.length, 'agent')}`
            : total > 0 && count(total))
        }
        isBare={isLoaded && total === 0 && !isFiltered}
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
      ) : total > 0 ? (
        <>
          <ColumnHeads />
          <VirtualList
            lines={lines}
            total={total}
            isByTime={project === undefined && order === 'time'}
            onView={(first, last) => list.want(Math.max(0, first - live.length), last + skipped)}
          />
        </>
      ) : isFiltered ? (
        <NothingListed project={project} />
      ) : (
        <FirstStart project={project} />
      )}
    </>
  );
}

/** Sessions that run are looked for among these: the newest come first. */
const FIRST = 200;

function countFirst({ rowAt }: SessionWindow, addresses: ReadonlySet<string>): number {
  if (addresses.size === 0) return 0;
  return Array.from({ length: FIRST }, (_, index) => rowAt(index)).filter((row) => row && addresses.has(row.address))
    .length;
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

interface ListProps {
  lines: readonly SessionLine[];
  total: number;
  isByTime: boolean;
  /** Called with the first and the last line that are drawn. */
  onView: (first: number, last: number) => void;
}

function VirtualList({ lines, total, isByTime, onView }: ListProps) {
  const box = useRef<HTMLDivElement>(null);
  useListKeys(box);
  const tall = useRef<HTMLDivElement>(null);
  const [window_, setWindow] = useState({ top: 0, height: 900 });
  const rowHeight = matchMedia('(max-width: 719px)').matches ? 64 : 52;
  const heightOf = (line: SessionLine) => (line.kind === 'row' || line.kind === 'blank' ? rowHeight : 42);
  const offsets = useMemo(() => {
    const sums = [0];
    for (const line of lines) sums.push(sums.at(-1)! + heightOf(line));
    return sums;
  }, [lines, rowHeight]);
  const first = Math.max(0, lowerBound(offsets, window_.top - window_.height) - 1);
  const last = Math.min(lines.length, lowerBound(offsets, window_.top + 2 * window_.height) + 1);
  useEffect(() => onView(first, last), [first, last, lines]);
  // New rows above do not move the rows in view; at the top of the list they are shown.
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
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && stepInList(box.current, step)) event.preventDefault();
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
            ) : line.kind === 'blank' ? (
              <div class="session-row skeleton-row" role="row" aria-rowindex={first + index + 1}>
                <span class="skeleton grow" role="gridcell" />
              </div>
            ) : (
              <GroupHead line={line} />
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

/** A screen reader has the same from the figures themselves. */
function ColumnHeads() {
  return (
    <div class="column-heads meta" aria-hidden="true">
      <span class="grow" />
      <span class="row-number middle">Messages</span>
      <span class="row-number middle">Cost</span>
      <span class="row-number">Last</span>
    </div>
  );
}

function keyOf(line: SessionLine): string {
  if (line.kind === 'row') return line.row.address;
  if (line.kind === 'blank') return `blank ${line.index}`;
  return line.kind === 'live' ? 'live' : `group ${line.name}`;
}

function GroupHead({ line }: { line: Exclude<SessionLine, { kind: 'row' | 'blank' }> }) {
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
