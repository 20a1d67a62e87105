// A question of the policy: the whole command, why it is asked, and answers that are equally easy.
import { type ComponentChildren, Fragment } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { server } from '../api/server.ts';
import type { AskedQuestion } from '../api/types.ts';
import { askedText, dangerIn } from '../model/asked.ts';
import { duration, exactTime } from '../model/numbers.ts';
import { linesOfPatch } from '../model/patch-lines.ts';
import { exact, oneLine } from '../model/visible.ts';
import { announceQuestion } from '../state/announce.ts';
import { useAttempt } from '../state/attempt.ts';
import { runCommand } from '../state/commands.ts';
import { giveBack } from '../state/draft.ts';
import { DEAF_MS, noteQuestionEnd } from '../state/presence.ts';
import { DiffLines, useChangedWords } from './diff.tsx';
import './diff.css';
import './question.css';

type Decision = AskedQuestion['answers'][number];

export function Question({
  question,
  address,
  speaker,
}: {
  question: AskedQuestion;
  address: string;
  speaker: string;
}) {
  const card = useRef<HTMLDivElement>(null);
  const shownAt = useRef(performance.now());
  const { attempt, problem } = useAttempt();
  const [now, setNow] = useState(Date.now());
  const { call } = question;
  const asksTo =
    call === undefined ? 'go on' : call.preview?.kind === 'diff' ? 'change a file' : `run ${oneLine(call.tool)}`;
  const title = `${speaker} asks to ${asksTo}`;

  // Before anything is drawn: the focus may be in the card by then.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    if (!before || before === document.body || before.tagName !== 'TEXTAREA') card.current?.focus();
    announceQuestion(`${title}: ${question.summary}`);
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => {
      clearInterval(timer);
      // The focus is given back, and not taken from a field that was gone to meanwhile.
      if (card.current?.contains(document.activeElement)) before?.focus();
      noteQuestionEnd();
    };
  }, []);

  const answer = (decision: Decision): Promise<void> =>
    attempt(async () => {
      const body = { decision, hash: question.hash };
      await server.answerQuestion({ parameters: { id: address, questionId: question.id }, body });
    });
  /** Puts a different command into the composer: sending it denies this one with these words. */
  const edit = (): void => {
    giveBack(address, `Run this instead: ${askedText(question)}`);
    runCommand('c');
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (performance.now() - shownAt.current < DEAF_MS) return;
    if (event.key === 'e' && call) {
      event.preventDefault();
      edit();
      return;
    }
    const decision = ({ y: 'once', n: 'no', a: 'always', s: 'edits' } as const)[event.key];
    if (decision !== undefined && question.answers.includes(decision)) {
      event.preventDefault();
      void answer(decision);
    }
  };

  return (
    <div
      ref={card}
      class="question"
      role="alertdialog"
      aria-labelledby={`q-${question.id}`}
      aria-describedby={`w-${question.id}`}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <h2 id={`q-${question.id}`}>
        <span class="dot asks" />
        {title}
        <span class="meta asked-for" title={exactTime(new Date(question.askedAt))}>
          {duration(Math.max(0, now - Date.parse(question.askedAt)))}
        </span>
      </h2>
      <Asked question={question} id={`w-${question.id}`} />
      <Circumstances question={question} />
      <Answers question={question} onAnswer={(decision) => void answer(decision)} onEdit={edit} />
      {problem === undefined ? null : (
        <p class="meta" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

/** The whole of it. It scrolls between the title and the answers, which stay where they are. */
function Asked({ question, id }: { question: AskedQuestion; id: string }) {
  const { preview } = question.call ?? {};
  const wordsOf = useChangedWords();
  const lines = useMemo(
    () => (preview?.kind === 'diff' ? linesOfPatch(exact(preview.text), wordsOf) : undefined),
    [preview?.kind, preview?.text, wordsOf],
  );
  const [before, danger, after] = dangerIn(question) ?? [askedText(question)];
  if (lines === undefined)
    return (
      <pre class="asked" id={id} tabIndex={0}>
        {before}
        {danger === undefined ? null : <u>{danger}</u>}
        {after}
      </pre>
    );
  return (
    <>
      <p class="asked-file mono">{exact(question.summary)}</p>
      <div class="asked diff" id={id} role="group" aria-label="Change" tabIndex={0}>
        {lines.length === 0 ? <p class="meta">Nothing would change.</p> : <DiffLines lines={lines} />}
      </div>
    </>
  );
}

/** A longer pattern than this is cut off in its button, and told in full above it. */
const LONGEST_IN_BUTTON = 16;

/** Where it would run, and why it is asked. */
function Circumstances({ question: { call, reason, answers } }: { question: AskedQuestion }) {
  const folder = call?.command?.cwd;
  const { dangerous } = call ?? {};
  const isSaid = dangerous !== undefined && reason.includes(dangerous);
  const patterns = [
    ['Always', answers.includes('always') ? call?.grant : undefined],
    ['Never', answers.includes('never') ? call?.denial : undefined],
  ] as const;
  return (
    <dl tabIndex={0}>
      {folder === undefined ? null : (
        <>
          <dt>Folder</dt>
          <dd>{exact(folder)}</dd>
        </>
      )}
      {call ? (
        <>
          <dt>{call.command === undefined ? 'How' : 'Sandbox'}</dt>
          <dd>{oneLine(call.sandbox)}</dd>
        </>
      ) : null}
      <dt>Why</dt>
      <dd>
        {isSaid ? <b>{oneLine(reason)}</b> : oneLine(reason)}
        {dangerous === undefined || isSaid ? null : <b> It {oneLine(dangerous)}.</b>}
      </dd>
      {patterns.map(([name, pattern]) =>
        pattern === undefined || pattern.length <= LONGEST_IN_BUTTON ? null : (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{exact(pattern)}</dd>
          </Fragment>
        ),
      )}
    </dl>
  );
}

interface AnswersProps {
  question: AskedQuestion;
  onAnswer: (decision: Decision) => void;
  onEdit: () => void;
}

function Answers({ question, onAnswer, onEdit }: AnswersProps) {
  const { call, answers } = question;
  const button = (decision: Decision, words: ComponentChildren, isPlain = false) => (
    <button type="button" class={`button ${decision}${isPlain ? ' plain' : ''}`} onClick={() => onAnswer(decision)}>
      {words}
    </button>
  );
  return (
    <>
      <div class="answers">
        {button('once', call ? 'Allow once' : 'Go on')}
        {button('no', call ? 'Deny' : 'Stop')}
        {call ? (
          <button type="button" class="button" onClick={onEdit}>
            Edit
          </button>
        ) : null}
        {answers.includes('edits') ? button('edits', 'All edits of this session', true) : null}
        {answers.includes('always') && call?.grant !== undefined
          ? button(
              'always',
              <>
                <span>Always allow</span> <code class="cut">{exact(call.grant)}</code>
              </>,
              true,
            )
          : null}
        {answers.includes('never') && call?.denial !== undefined
          ? button(
              'never',
              <>
                <span>Never</span> <code class="cut">{exact(call.denial)}</code>
              </>,
              true,
            )
          : null}
      </div>
      {call ? <p class="meta hint">What you write below and send denies it with these words.</p> : null}
    </>
  );
}
