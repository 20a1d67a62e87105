// A tool call: a line if it succeeded; opened, the decision, the directory, the command and the output.
import { useEffect, useMemo } from 'preact/hooks';
import { type CallEdit, editsOfCall, pathOfCall } from '../../blame/call-edits.ts';
import type { ShownCall } from '../model/blocks.ts';
import { commandOf, decisionOf, iconOf, opensItself, outcomeOf, subjectOf } from '../model/call-summary.ts';
import { sizeOfChanges } from '../model/line-diff.ts';
import { duration, plural } from '../model/numbers.ts';
import { isSubagent } from '../model/subagent.ts';
import { oneLine, visible } from '../model/visible.ts';
import { type Unfolded, useUnfolded } from '../state/unfolded.ts';
import { Output, RunningOutput } from './call-output.tsx';
import { CopyButton } from './copy-button.tsx';
import { Diff } from './diff.tsx';
import { Icon } from './icon.tsx';
import { BlobImage } from './images.tsx';
import { SubagentBody } from './subagent-body.tsx';
import './call-card.css';
import './diff.css';

/** The most lines of a diff that is open at first. */
const SHORT_DIFF = 12;

export function CallStack({
  calls,
  unfolded,
  target,
}: {
  calls: readonly ShownCall[];
  unfolded: Unfolded;
  /** The event that a link or a search led to: its card is open. */
  target: number | undefined;
}) {
  return (
    <div class="card stack">
      {calls.map((call) => (
        <CallCard key={call.callId} call={call} unfolded={unfolded} isTarget={target === call.seq} />
      ))}
    </div>
  );
}

function CallCard({ call, unfolded, isTarget }: { call: ShownCall; unfolded: Unfolded; isTarget: boolean }) {
  const changes = useMemo(() => editsOfCall(call.name, call.args), [call.args]);
  const size = useMemo(() => sizeOfChanges(changes), [changes]);
  const opens = opensItself(call) || (size !== undefined && size.lines <= SHORT_DIFF);
  const [isOpen, toggle] = useUnfolded(unfolded, call.callId, opens);
  useEffect(() => {
    if (isTarget && !isOpen) toggle();
  }, [isTarget]);
  const outcome = outcomeOf(call);
  const tone = call.state === 'failed' || call.state === 'timeout' ? 'danger' : call.state === 'declined' ? 'warn' : '';
  return (
    <div class="call" data-state={call.state} data-seq={call.seq}>
      <button type="button" class="call-head" aria-expanded={isOpen} onClick={toggle}>
        {call.state === 'running' ? (
          <span class="ring" role="img" aria-label="runs" />
        ) : (
          <Icon name={iconOf(call.name)} />
        )}
        <span class="call-name">{oneLine(call.name) || 'A call whose request is not here'}</span>
        <span class="call-subject mono cut">{subjectOf(call)}</span>
        {size ? (
          <span class="call-size">
            {size.added > 0 ? <span class="plus">+{size.added}</span> : null}
            {size.removed > 0 ? <span class="minus">−{size.removed}</span> : null}
          </span>
        ) : null}
        {outcome === '' ? null : tone === '' ? (
          <span class="call-outcome">{outcome}</span>
        ) : (
          <span class={`chip ${tone}`}>
            <Icon name="cross" />
            {outcome}
          </span>
        )}
        <Icon name={isOpen ? 'down' : 'chevron'} />
      </button>
      {isOpen ? <CallBody call={call} changes={changes} /> : null}
    </div>
  );
}

function CallBody({ call, changes }: { call: ShownCall; changes: readonly CallEdit[] }) {
  const command = commandOf(call);
  const { end } = call;
  const words = call.state === 'declined' ? call.decision?.reason : undefined;
  return (
    <div class="call-body">
      <Facts call={call} />
      {words === undefined ? null : <p class="declined">{visible(words)}</p>}
      {call.state === 'unknown' ? (
        <p class="facts">ollm ended while this ran. Whether it had an effect is not known.</p>
      ) : null}
      {command === undefined ? null : (
        <div class="command">
          <span aria-hidden="true">$</span>
          <pre>{visible(command)}</pre>
          <CopyButton text={command} />
        </div>
      )}
      {isSubagent(call) ? (
        <SubagentBody call={call} />
      ) : (
        <>
          {changes.map((change, index) => (
            <FileChange key={index} change={change} isNamed={change.path === pathOfCall(call.args)} />
          ))}
          {changes.length === 0 && command === undefined ? <Arguments args={call.args} /> : null}
          {call.state === 'running' ? <RunningOutput callId={call.callId} /> : null}
          {end === undefined || end.result.llmContent === words ? null : <Output end={end} />}
        </>
      )}
      {end?.result.images?.map((image) => (
        <BlobImage key={image.blob} part={image} />
      ))}
    </div>
  );
}

/** `isNamed`: the head of the card has the path. */
function FileChange({ change: { path, before, after }, isNamed }: { change: CallEdit; isNamed: boolean }) {
  return (
    <div>
      {path === undefined || isNamed ? null : <p class="changed-file mono">{oneLine(path)}</p>}
      {before === '' && after === '' ? null : <Diff before={before} after={after} />}
    </div>
  );
}

/** Whether its program, or a server, ran without a sandbox. A tool of ollm itself starts no program. */
function isUnconfined({ sandbox, command, argv, remote }: NonNullable<ShownCall['start']>): boolean {
  return sandbox === 'none' && (remote === true || command !== undefined || argv !== undefined);
}

function placeOf(start: NonNullable<ShownCall['start']>): string {
  if (start.remote === true) return 'run by a server';
  if (isUnconfined(start)) return 'no sandbox';
  if (start.sandbox === 'none') return 'in ollm itself';
  return `${oneLine(start.sandbox)}${start.network === false ? ', no network' : ''}`;
}

function Facts({ call }: { call: ShownCall }) {
  const { decision, start, end } = call;
  const said = decisionOf(call);
  return (
    <p class="facts">
      {said === undefined ? null : (
        <span class={decision?.decision === 'allow' ? 'allowed' : 'denied'}>
          <Icon name="shield" />
          {said}
        </span>
      )}
      {start === undefined ? null : (
        <span class={isUnconfined(start) ? 'none' : undefined}>
          <Icon name="box" />
          {placeOf(start)}
        </span>
      )}
      {start !== undefined && start.envRemoved.length > 0 ? (
        <span>
          <Icon name="key" />
          {plural(start.envRemoved.length, 'variable')} withheld
        </span>
      ) : null}
      {end?.durationMs === undefined ? null : (
        <span>
          <Icon name="clock" />
          {duration(end.durationMs)}
        </span>
      )}
    </p>
  );
}

function Arguments({ args }: { args: Readonly<Record<string, unknown>> }) {
  if (Object.keys(args).length === 0) return null;
  return (
    <pre class="output" tabIndex={0}>
      {visible(JSON.stringify(args, undefined, 2))}
    </pre>
  );
}
