// The files of a session, each as one difference. A number at an added line opens the call that wrote it, with the
// prompt before it and the decision; files can be put back from here.
import { Fragment } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { server } from '../api/server.ts';
import type { SentChanges } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';
import { type AuthoredLine, authoredLines } from '../model/authored-lines.ts';
import { decisionOf } from '../model/call-summary.ts';
import { count, plural, shortTime } from '../model/numbers.ts';
import { exact, oneLine } from '../model/visible.ts';
import { DiffRow } from '../parts/diff.tsx';
import { FailureState } from '../parts/failure-state.tsx';
import { Notice } from '../parts/notice.tsx';
import { Skeleton, State } from '../parts/state.tsx';
import { sessionLink } from '../router.ts';
import { useAttempt } from '../state/attempt.ts';
import { useCommands } from '../state/commands.ts';
import { stepInList } from '../state/list-keys.ts';
import './session-changes.css';

type SentFile = SentChanges['files'][number];
type SentCall = SentChanges['calls'][number];

export function SessionChanges({ address }: { address: string }) {
  const changes = useResource(`changes ${address}`, (signal) =>
    server.getChanges({ parameters: { id: address }, signal }),
  );
  const [said, setSaid] = useState<string>();
  const { attempt, problem } = useAttempt();
  const body = useRef<HTMLDivElement>(null);
  const step = (by: 1 | -1) => () => stepInList(body.current, by, 'h2 > button');
  useCommands([
    { title: 'Next file', keys: 'j', run: step(1), isKeyOnly: true },
    { title: 'Previous file', keys: 'k', run: step(-1), isKeyOnly: true },
  ]);
  if (changes.failure) return <FailureState failure={changes.failure} retry={changes.reload} />;
  const { value } = changes;
  const putBack = (files: readonly SentFile[]) =>
    attempt(async () => {
      const body = { files: files.map(({ path, revert }) => ({ path, hash: revert!.hash })) };
      const answer = await server.revertFiles({ parameters: { id: address }, body });
      const refused = answer.files.filter(({ outcome }) => outcome === 'refused');
      setSaid(
        refused.length === 0
          ? `${plural(answer.files.length, 'file')} put back.`
          : refused.map(({ reason, shown }) => reason ?? shown).join(' '),
      );
      changes.reload();
    });
  return (
    <>
      {said === undefined && problem === undefined ? null : (
        <Notice
          isSaid
          tone={problem === undefined ? 'info' : 'danger'}
          title={oneLine(problem ?? said ?? '')}
          onClose={() => setSaid(undefined)}
        />
      )}
      <div class="view-body" tabIndex={0} ref={body}>
        {value === undefined ? (
          <Skeleton what="changes" />
        ) : value.files.length === 0 ? (
          <State icon="pen" title="No changed files">
            {value.opaque > 0
              ? `${plural(value.opaque, 'program')} ran, which may have changed files; the journal does not say which.`
              : 'The calls of this session changed no file, or their changes were put back.'}
          </State>
        ) : (
          <Files changes={value} address={address} onPutBack={(files) => void putBack(files)} />
        )}
      </div>
    </>
  );
}

interface FilesProps {
  changes: SentChanges;
  address: string;
  onPutBack: (files: readonly SentFile[]) => void;
}

function Files({ changes: { files, calls, opaque }, address, onPutBack }: FilesProps) {
  const byseq = useMemo(() => new Map(calls.map((call) => [call.seq, call])), [calls]);
  const back = files.filter(isRevertible);
  const sum = (member: 'addedLines' | 'removedLines') => files.reduce((total, file) => total + file[member], 0);
  return (
    <div class="changes">
      <p class="changes-sum">
        <span class="grow">
          {plural(files.length, 'file')}, <Lines added={sum('addedLines')} removed={sum('removedLines')} />
          {opaque > 0 ? (
            <span class="meta"> {plural(opaque, 'program')} ran besides, which may have changed more.</span>
          ) : null}
        </span>
        {back.length > 1 ? (
          <button type="button" class="button" onClick={() => onPutBack(back)}>
            Put all back
          </button>
        ) : null}
      </p>
      {files.map((file) => (
        <File key={file.path} file={file} calls={byseq} address={address} onPutBack={() => onPutBack([file])} />
      ))}
    </div>
  );
}

function isRevertible({ revert }: SentFile): boolean {
  return revert !== undefined && revert.effect !== 'refuse' && revert.effect !== 'same';
}

/** Larger files are opened when they are asked for. */
const OPEN_LINES = 400;

interface FileProps {
  file: SentFile;
  calls: ReadonlyMap<number, SentCall>;
  address: string;
  onPutBack: () => void;
}

function File({ file, calls, address, onPutBack }: FileProps) {
  const { shown, diff, addedLines, removedLines, from, revert } = file;
  const [isOpen, setIsOpen] = useState(addedLines + removedLines <= OPEN_LINES);
  const lines = useMemo(() => (isOpen ? authoredLines(file) : []), [file, isOpen]);
  return (
    <section class="card file-changes" aria-label={exact(shown)}>
      <h2>
        <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <span class="mono cut">{exact(shown)}</span>
        </button>
        <Lines added={addedLines} removed={removedLines} />
        {isRevertible(file) ? (
          <button type="button" class="button" onClick={onPutBack}>
            Put back<span class="said-only"> {exact(shown)}</span>
          </button>
        ) : null}
      </h2>
      {isOpen ? (
        <>
          <p class="meta notes">
            {diff === ''
              ? revert?.effect === 'same'
                ? 'It is as it was before the session.'
                : 'Its text is not known.'
              : ''}
            {diff !== '' && from === 'calls'
              ? 'As the calls of the session say; what others changed in it is not here.'
              : ''}{' '}
            {revert?.effect === 'refuse' && revert.reason !== undefined ? oneLine(revert.reason) : ''}
          </p>
          {lines.length === 0 ? (
            <CallsOf file={file} calls={calls} address={address} />
          ) : (
            <AuthoredDiff lines={lines} calls={calls} address={address} />
          )}
        </>
      ) : null}
    </section>
  );
}

function Lines({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="line-counts">
      <span class="plus">+{count(added)}</span> <span class="minus">−{count(removed)}</span>
    </span>
  );
}

interface DiffProps {
  lines: readonly AuthoredLine[];
  calls: ReadonlyMap<number, SentCall>;
  address: string;
}

function AuthoredDiff({ lines, calls, address }: DiffProps) {
  /** The line whose call is shown. */
  const [opened, setOpened] = useState<number>();
  return (
    <div class="diff authored" role="group" aria-label="Changed lines" tabIndex={0}>
      <table>
        <tbody>
          {lines.map((line, index) => {
            const call = line.begins === undefined ? undefined : calls.get(line.begins);
            return (
              <Fragment key={index}>
                <DiffRow line={line}>
                  <td class="author">
                    {call === undefined ? null : (
                      <button
                        type="button"
                        class="link"
                        aria-expanded={opened === index}
                        aria-label={`Call ${call.seq}: ${oneLine(call.tool)}`}
                        onClick={() => setOpened(opened === index ? undefined : index)}
                      >
                        #{call.seq}
                      </button>
                    )}
                  </td>
                  <td class="at">{line.after ?? line.before ?? ''}</td>
                </DiffRow>
                {opened === index && call !== undefined ? (
                  <tr class="author-row">
                    <td colSpan={4}>
                      <CallLine call={call} address={address} />
                    </td>
                  </tr>
                ) : null}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function CallsOf({ file, calls, address }: { file: SentFile } & Omit<DiffProps, 'lines'>) {
  return (
    <ul class="calls-of">
      {file.calls.map((seq) => {
        const call = calls.get(seq);
        return call === undefined ? null : (
          <li key={seq}>
            <CallLine call={call} address={address} />
          </li>
        );
      })}
    </ul>
  );
}

/** The call, the prompt before it, and who allowed it. */
function CallLine({ call: { seq, tool, at, prompt, decision }, address }: { call: SentCall; address: string }) {
  return (
    <span class="call-line">
      <a href={sessionLink(address, `#${seq}`)}>
        #{seq} {oneLine(tool)}
      </a>
      {prompt === undefined ? null : (
        <>
          {' after '}
          <a href={sessionLink(address, `#${prompt.seq}`)} dir="auto">
            “{oneLine(prompt.text)}”
          </a>
        </>
      )}
      <span class="meta">
        {[
          decision === undefined ? 'The decision is not recorded' : decisionOf({ decision }),
          at === undefined ? '' : shortTime(new Date(at), new Date()),
        ]
          .filter((each) => each)
          .join(', ')}
      </span>
    </span>
  );
}
