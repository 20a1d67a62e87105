// A question of the policy: the whole command, why it is asked, and answers that are equally easy.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, RequestFailed, sessionPath } from '../api/request.ts';
import type { AskedQuestion } from '../api/types.ts';
import { duration, exactTime } from '../model/numbers.ts';
import { oneLine, visible } from '../model/visible.ts';
import { announceQuestion } from '../state/announce.ts';

/** What is asked, in full. */
function asked({ call, summary }: AskedQuestion): string {
  const { command, preview } = call ?? {};
  if (command?.kind === 'shell') return command.line;
  if (command?.kind === 'program') return command.argv.join(' ');
  if (preview !== undefined) return preview.text;
  return call ? JSON.stringify(call.args, undefined, 2) : summary;
}

/** Keys are no answer in the first half second: they were meant for something else. */
const DEAF_MS = 500;

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
  const [words, setWords] = useState('');
  const [problem, setProblem] = useState<string>();
  const [now, setNow] = useState(Date.now());
  const { call } = question;
  const folder = call?.command?.cwd;
  const title = call ? `${speaker} asks to run ${oneLine(call.tool)}` : `${speaker} asks to go on`;

  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    if (!before || before === document.body || before.tagName !== 'TEXTAREA') card.current?.focus();
    announceQuestion(`${title}: ${question.summary}`);
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => {
      clearInterval(timer);
      before?.focus?.();
    };
  }, []);

  const answer = async (decision: AskedQuestion['answers'][number]): Promise<void> => {
    try {
      const body = { decision, hash: question.hash, ...(decision === 'no' && words !== '' ? { words } : {}) };
      await ask(sessionPath(address, `/questions/${encodeURIComponent(question.id)}`), { method: 'POST', body });
    } catch (error) {
      setProblem(error instanceof RequestFailed ? error.message : String(error));
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if ((event.target as Element).tagName === 'INPUT' || performance.now() - shownAt.current < DEAF_MS) return;
    const decision = ({ y: 'once', n: 'no', a: 'always' } as const)[event.key];
    if (decision !== undefined && question.answers.includes(decision)) {
      event.preventDefault();
      void answer(decision);
    }
  };

  const offers = (decision: AskedQuestion['answers'][number]) => question.answers.includes(decision);
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
      <pre class="asked" id={`w-${question.id}`}>
        {visible(asked(question))}
      </pre>
      <dl>
        {folder === undefined ? null : (
          <>
            <dt>Folder</dt>
            <dd>{visible(folder)}</dd>
          </>
        )}
        {call ? (
          <>
            <dt>Sandbox</dt>
            <dd>{oneLine(call.sandbox)}</dd>
          </>
        ) : null}
        <dt>Why</dt>
        <dd>
          {oneLine(question.reason)}
          {call?.dangerous === undefined ? null : <b> {oneLine(call.dangerous)}</b>}
        </dd>
      </dl>
      <div class="answers">
        <button type="button" class="button" onClick={() => void answer('once')}>
          {call ? 'Allow once' : 'Go on'}
        </button>
        <button type="button" class="button" onClick={() => void answer('no')}>
          {call ? 'Deny' : 'Stop'}
        </button>
        {offers('always') && call?.grant !== undefined ? (
          <button type="button" class="button plain" onClick={() => void answer('always')}>
            Always allow <code>{oneLine(call.grant)}</code>
          </button>
        ) : null}
        {offers('never') && call?.denial !== undefined ? (
          <button type="button" class="button plain" onClick={() => void answer('never')}>
            Never <code>{oneLine(call.denial)}</code>
          </button>
        ) : null}
      </div>
      {call ? (
        <label class="meta deny-words">
          Words for a no:{' '}
          <input
            value={words}
            onInput={(event) => setWords(event.currentTarget.value)}
            placeholder="what to do instead"
          />
        </label>
      ) : null}
      {problem === undefined ? null : <p class="meta">{problem}</p>}
    </div>
  );
}
