// A session in time: a player with the plan, the files, the window and the cost at each moment, and the waterfall of
// the turn that is shown.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { server } from '../api/server.ts';
import type { SentSteps } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';
import { iconOf } from '../model/call-summary.ts';
import { count, duration, exactTime, money, plural, tokens } from '../model/numbers.ts';
import { type Moment, momentAt, type Span, shownFor, spansOf, type TimedStep, turnAround } from '../model/timeline.ts';
import { exact, oneLine, saidInOneLine } from '../model/visible.ts';
import { Choice } from '../parts/choice.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { TODO_STATES } from '../parts/plan-card.tsx';
import { State } from '../parts/state.tsx';
import { sessionLink } from '../router.ts';
import { useCommands } from '../state/commands.ts';
import { Legend, useWidth } from './cost-parts.tsx';
import './cost-parts.css';
import './session-time.css';

const SPEEDS = [1, 5, 20, 60].map((speed) => [`${speed}×`, speed] as const);

export function SessionTime({ address, at }: { address: string; at: number | undefined }) {
  const course = useResource(`steps ${address}`, (signal) => server.getSteps({ parameters: { id: address }, signal }));
  return (
    <Loaded of={course} what="steps">
      {(value) =>
        value.steps.length === 0 ? (
          <State icon="clock" title="Nothing has happened yet">
            A session has its time here once something was said in it.
          </State>
        ) : (
          <Player course={value} address={address} begin={at} />
        )
      }
    </Loaded>
  );
}

function Player({ course, address, begin }: { course: SentSteps; address: string; begin: number | undefined }) {
  const { steps, window: limit, isCut } = course;
  const [at, setAt] = useState(() => indexOf(steps, begin));
  const [speed, setSpeed] = useState(20);
  const [isPlaying, setIsPlaying] = useState(false);
  const last = steps.length - 1;
  const moment = useMemo(() => momentAt(steps, at)!, [steps, at]);
  const go = (index: number): void => setAt(Math.max(0, Math.min(last, index)));
  const play = (): void => {
    if (!isPlaying && at === last) setAt(0);
    setIsPlaying(!isPlaying);
  };
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (at >= last) {
      setIsPlaying(false);
      return undefined;
    }
    const timer = setTimeout(() => setAt(at + 1), shownFor(steps, at, speed));
    return () => clearTimeout(timer);
  }, [isPlaying, at, speed, steps]);
  // The address leads back to this moment.
  useEffect(() => {
    if (isPlaying) return undefined;
    const timer = setTimeout(() => {
      const rest = at === last ? '?tab=time' : `?tab=time&at=${moment.step.seq}`;
      history.replaceState(history.state, '', sessionLink(address, rest));
    }, 300);
    return () => clearTimeout(timer);
  }, [isPlaying, at]);
  const toPrompt = (by: 1 | -1) => () => {
    const isNext = ({ kind }: TimedStep, index: number) => kind === 'prompt' && (by > 0 ? index > at : index < at);
    const found = by > 0 ? steps.findIndex(isNext) : steps.findLastIndex(isNext);
    if (found >= 0) go(found);
    return true;
  };
  useCommands([
    { title: isPlaying ? 'Pause' : 'Play', keys: 'p', run: play },
    { title: 'Next step', keys: 'j', run: () => go(at + 1), isKeyOnly: true },
    { title: 'Previous step', keys: 'k', run: () => go(at - 1), isKeyOnly: true },
    { title: 'Next prompt', keys: 'J', run: toPrompt(1), isKeyOnly: true },
    { title: 'Previous prompt', keys: 'K', run: toPrompt(-1), isKeyOnly: true },
    { title: 'To the beginning', keys: 'Home', run: () => go(0), isKeyOnly: true },
    { title: 'To the end', keys: 'End', run: () => go(last), isKeyOnly: true },
  ]);
  return (
    <div class="time">
      <div class="player">
        <button type="button" class="button" aria-pressed={isPlaying} onClick={play}>
          {isPlaying ? 'Pause' : 'Play'}
        </button>
        <input
          type="range"
          class="scrubber"
          min={0}
          max={last}
          value={at}
          aria-label="Moment"
          aria-valuetext={`Step ${at + 1} of ${steps.length}: ${wordsOf(moment.step)}`}
          onInput={(event) => {
            setIsPlaying(false);
            go(Number(event.currentTarget.value));
          }}
        />
        <Choice label="Speed" options={SPEEDS} value={speed} onPick={setSpeed} />
      </div>
      <p class="meta moment-line">
        <span>
          Step {count(at + 1)} of {count(steps.length)}
          {moment.turn === undefined ? '' : `, turn ${moment.turn}`}
        </span>
        <span>{moment.step.at === undefined ? '' : exactTime(new Date(moment.step.at))}</span>
        <a href={sessionLink(address, at === last ? `#${moment.step.seq}` : `?at=${moment.step.seq}`)}>
          The conversation at this moment
        </a>
        {isCut ? <span>The newest {count(steps.length)} steps are here.</span> : null}
      </p>
      <div class="moment">
        <div>
          <section aria-label="Steps" class="card moment-steps">
            <h2 class="label">Now</h2>
            <ol>
              {moment.newest.map((step) => (
                <li key={step.seq} class={step.undone ? 'undone-step' : undefined} aria-current={step === moment.step}>
                  <Icon name={iconOfStep(step)} />
                  <a class="cut" href={sessionLink(address, `#${step.seq}`)} dir="auto">
                    {wordsOf(step)}
                  </a>
                </li>
              ))}
            </ol>
          </section>
          <section class="card" aria-label="Plan">
            <h2 class="label">Plan</h2>
            {moment.plan.length === 0 ? <p class="meta">No plan yet.</p> : null}
            <ul>
              {moment.plan.map(({ content, status }, index) => (
                <li key={index} class={status}>
                  <Icon name={TODO_STATES[status][0]} label={TODO_STATES[status][1]} />
                  <span dir="auto">{oneLine(content)}</span>
                </li>
              ))}
            </ul>
          </section>
        </div>
        <div>
          <Figures moment={moment} limit={limit} />
          <section class="card" aria-label="Files">
            <h2 class="label">Files changed</h2>
            {moment.files.length === 0 ? <p class="meta">None yet.</p> : null}
            <ul>
              {moment.files.slice(0, MOST_FILES).map(([path, changes]) => (
                <li key={path}>
                  <Icon name="pen" />
                  <span class="mono cut grow">{exact(path)}</span>
                  {changes > 1 ? <span class="meta">{count(changes)} times</span> : null}
                </li>
              ))}
            </ul>
            {moment.files.length > MOST_FILES ? (
              <p class="meta">and {count(moment.files.length - MOST_FILES)} more</p>
            ) : null}
          </section>
        </div>
      </div>
      <Waterfall steps={steps} at={at} address={address} />
    </div>
  );
}

const MOST_FILES = 8;

function Figures({ moment, limit }: { moment: Moment; limit: number | undefined }) {
  const { window: sent, tokens: used, cost } = moment;
  return (
    <section class="card" aria-label="So far">
      <h2 class="label">So far</h2>
      <dl class="so-far">
        <dt>Window</dt>
        <dd>
          {sent === undefined ? 'nothing sent' : tokens(sent)}
          {sent === undefined || limit === undefined ? '' : ` of ${tokens(limit)}`}
        </dd>
        <dt>Tokens</dt>
        <dd>{tokens(used)}</dd>
        <dt>Cost</dt>
        <dd>{money(cost)}</dd>
      </dl>
      {sent === undefined || limit === undefined ? null : (
        <meter min={0} max={limit} value={Math.min(sent, limit)} aria-label="How full the window is" />
      )}
    </section>
  );
}

const ROW = 22;
const LABEL = 132;
const NARROW_LABEL = 84;
const NARROW = 520;
const MOST_SPANS = 60;
const FILLS: Readonly<Record<Span['kind'], string>> = { model: 'var(--c1)', tool: 'var(--c3)', you: 'var(--c2)' };

function Waterfall({ steps, at, address }: { steps: readonly TimedStep[]; at: number; address: string }) {
  const [box, width] = useWidth();
  const turn = useMemo(() => turnAround(steps, at), [steps, at]);
  const spans = useMemo(() => spansOf(turn), [turn]);
  const left = width < NARROW ? NARROW_LABEL : LABEL;
  const shown = spans?.spans.slice(0, MOST_SPANS) ?? [];
  const x = (ms: number) => left + ((width - left - 64) * ms) / Math.max(1, spans?.lengthMs ?? 1);
  return (
    <section aria-label="This turn" class="waterfall" ref={box}>
      <h2 class="section-title">This turn</h2>
      {spans === undefined || shown.length === 0 ? (
        <p class="meta">Its times are not known.</p>
      ) : (
        <>
          <p class="meta">
            {[
              duration(spans.lengthMs),
              `model ${duration(spans.sums.model)}`,
              `tools ${duration(spans.sums.tool)}`,
              ...(spans.sums.you > 0 ? [`it waited ${duration(spans.sums.you)} for you`] : []),
              ...(spans.retries > 0 ? [`${plural(spans.retries, 'request')} tried again after a failure`] : []),
            ].join(', ')}
          </p>
          <svg class="chart" width={width} height={shown.length * ROW + 4} role="group" aria-label="Spans of this turn">
            {shown.map((span, index) => (
              <a key={index} href={sessionLink(address, `#${span.seq}`)}>
                <title>{spanWords(span)}</title>
                <text x={0} y={index * ROW + 15}>
                  {oneLine(span.label).slice(0, left / 7)}
                </text>
                <rect
                  x={x(span.from)}
                  y={index * ROW + 4}
                  width={Math.max(2, x(span.to) - x(span.from))}
                  height={ROW - 8}
                  rx={2}
                  fill={FILLS[span.kind]}
                />
                <text x={x(span.to) + 6} y={index * ROW + 15}>
                  {duration(span.to - span.from)}
                </text>
              </a>
            ))}
          </svg>
          {spans.spans.length > shown.length ? (
            <p class="meta">and {count(spans.spans.length - shown.length)} more</p>
          ) : null}
          <Legend entries={LEGEND} />
        </>
      )}
    </section>
  );
}

const LEGEND = [
  ['model', FILLS.model],
  ['tools', FILLS.tool],
  ['waits for you', FILLS.you],
] as const;

function spanWords({ label, from, to, kind }: Span): string {
  const what = kind === 'you' ? 'It waited for you' : oneLine(label);
  return `${what}, ${duration(to - from)}, after ${duration(from)}`;
}

function iconOfStep({ kind, tool = '' }: TimedStep): IconName {
  if (kind === 'call') return iconOf(tool);
  return ({ prompt: 'send', reply: 'sessions', request: 'clock', compaction: 'box', end: 'check' } as const)[kind];
}

function wordsOf({ kind, text, tool = '', status }: TimedStep): string {
  switch (kind) {
    case 'call':
      return oneLine([tool, text, status === undefined || status === 'ok' ? '' : `(${status})`].join(' ').trim());
    case 'request':
      return `Request to ${oneLine(text)}`;
    case 'compaction':
      return 'Compacted';
    case 'end':
      return status === 'completed' || status === undefined ? 'The turn ended' : `The turn ended: ${oneLine(status)}`;
    case 'reply':
      return saidInOneLine(text) || 'An answer';
    default:
      return oneLine(text) || 'A prompt';
  }
}

/** The newest step at or before an event; without one, the last. */
function indexOf(steps: readonly TimedStep[], seq: number | undefined): number {
  const found = seq === undefined ? -1 : steps.findLastIndex((step) => step.seq <= seq);
  return found < 0 ? steps.length - 1 : found;
}
