// All sessions: the live ones on top, then all, by project or by time. Only the rows in view are in the document.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ask } from '../api/request.ts';
import type { SessionList, SessionRow } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';
import { count, plural } from '../model/numbers.ts';
import { nameOf } from '../model/project-name.ts';
import { FirstStart, NotReadIn } from '../parts/first-start.tsx';
import { Icon } from '../parts/icon.tsx';
import { ListHead } from '../parts/list-head.tsx';
import { SessionLine } from '../parts/session-row.tsx';
import { FailureState, Skeleton } from '../parts/state.tsx';
import { go } from '../router.ts';
import { useTitle } from '../state/title.ts';

/** The newest of each project that are shown at once: at least so many. */
const NEWEST = 3;
/** Few projects show more of each: so many rows in all. */
const ROWS_OF_ALL = 24;
/** Rows of the first page, so that it comes soon, and of those behind it. */
const FIRST = 100;
const PAGE = 1000;

type Line =
  | { readonly kind: 'group'; readonly name: string; readonly count: number; readonly isWhole: boolean }
  | { readonly kind: 'row'; readonly row: SessionRow };

export function SessionsView({ project, agent }: { project: string | undefined; agent: string | undefined }) {
  const [order, setOrder] = useState<'project' | 'time'>(localStorage.getItem('order') === 'time' ? 'time' : 'project');
  const list = useAllSessions({ project, agent });
  useTitle('Sessions');
  const rows = list.value?.sessions ?? [];
  const lines = useMemo(() => linesOf(rows, project === undefined ? order : 'time'), [rows, order, project]);
  if (list.failure && list.value === undefined) return <FailureState failure={list.failure} retry={list.reload} />;
  const agents = new Set(rows.map((row) => row.agent)).size;
  return (
    <>
      <ListHead<'project' | 'time'>
        title={project === undefined ? 'Sessions' : nameOf(project)}
        meta={
          list.value &&
          (agents > 1
            ? `${plural(list.value.total, 'session')} of ${plural(agents, 'agent')}`
            : list.value.total > 0 && count(list.value.total))
        }
        isBare={list.value !== undefined && rows.length === 0}
        search={{ onSubmit: (text) => go(`/search?q=${encodeURIComponent(text)}`) }}
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
      {list.value === undefined ? (
        <div class="view-body" tabIndex={0}>
          <Skeleton rows={8} />
        </div>
      ) : rows.length === 0 ? (
        <FirstStart project={project} />
      ) : (
        <>
          <NotReadIn rows={rows} onRead={list.reload} />
          <VirtualList lines={lines} total={list.value.total} isByTime={project === undefined && order === 'time'} />
        </>
      )}
    </>
  );
}

/** Page by page: what has come is shown. */
function useAllSessions(filter: { project: string | undefined; agent: string | undefined }) {
  const [soFar, setSoFar] = useState<SessionList>();
  const list = useResource(`sessions ${filter.project} ${filter.agent}`, async (signal) => {
    const sessions: SessionRow[] = [];
    let after: string | undefined;
    for (;;) {
      const query = {
        project: filter.project,
        provider: filter.agent,
        limit: after === undefined ? FIRST : PAGE,
        after,
      };
      const page = await ask<SessionList>('/sessions', { query, signal });
      sessions.push(...page.sessions);
      const all = { ...page, sessions: [...sessions] };
      after = page.next;
      if (after === undefined) return all;
      setSoFar(all);
    }
  });
  return { ...list, value: list.value ?? soFar };
}

function linesOf(rows: readonly SessionRow[], order: 'project' | 'time'): readonly Line[] {
  if (order === 'time') return rows.map((row) => ({ kind: 'row', row }));
  const groups = new Map<string, SessionRow[]>();
  for (const row of rows) {
    const name = row.project ?? '';
    const group = groups.get(name);
    if (group) group.push(row);
    else groups.set(name, [row]);
  }
  const newest = Math.max(NEWEST, Math.floor(ROWS_OF_ALL / groups.size));
  return [...groups].flatMap(([name, members]): Line[] => [
    { kind: 'group', name, count: members.length, isWhole: members.length <= newest },
    ...members.slice(0, newest).map((row): Line => ({ kind: 'row', row })),
  ]);
}

function VirtualList({ lines, total, isByTime }: { lines: readonly Line[]; total: number; isByTime: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const tall = useRef<HTMLDivElement>(null);
  const [window_, setWindow] = useState({ top: 0, height: 900 });
  const rowHeight = matchMedia('(max-width: 719px)').matches ? 64 : 52;
  const heightOf = (line: Line) => (line.kind === 'group' ? 42 : rowHeight);
  const offsets = useMemo(() => {
    const sums = [0];
    for (const line of lines) sums.push(sums.at(-1)! + heightOf(line));
    return sums;
  }, [lines, rowHeight]);
  const first = Math.max(0, lowerBound(offsets, window_.top - window_.height) - 1);
  const last = Math.min(lines.length, lowerBound(offsets, window_.top + 2 * window_.height) + 1);
  useLayoutEffect(() => {
    if (tall.current) tall.current.style.height = `${offsets.at(-1)}px`;
    for (const element of tall.current?.children ?? []) {
      const row = element as HTMLElement;
      row.style.transform = `translateY(${offsets[Number(row.dataset.index)]}px)`;
    }
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
      onScroll={(event) => setWindow({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })}
      onKeyDown={onKeyDown}
    >
      <div ref={tall} class="tall">
        {lines.slice(first, last).map((line, index) => (
          <div
            key={line.kind === 'group' ? `group ${line.name}` : line.row.address}
            data-index={first + index}
            class="placed"
            role="presentation"
          >
            {line.kind === 'group' ? (
              <div class="group-head" role="row">
                <span role="gridcell" class="group-name">
                  <Icon name="folder" />
                  <span class="cut">{line.name === '' ? 'No project' : nameOf(line.name)}</span>
                  <span class="meta">{count(line.count)}</span>
                </span>
                {line.isWhole || line.name === '' ? null : (
                  <span role="gridcell">
                    <a href={`/?project=${encodeURIComponent(line.name)}`}>Show all</a>
                  </span>
                )}
              </div>
            ) : (
              <SessionLine row={line.row} index={first + index + 1} withProject={isByTime} />
            )}
          </div>
        ))}
      </div>
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
