// A tool call that is over, as rows of a screen: its headline, and below it its output. The answer of an agent is
// rendered as any answer is. Pure.
import { type StyledLine, spanOf } from '../../display/paint.ts';
import { countOf } from '../../display/quantities.ts';
import { fitLine, wrapBehind, wrapSpans } from '../../display/wrap.ts';
import { AGENT, agentParts } from '../../tools/builtin/agent.ts';
import type { AnswerStream } from './answer-stream.ts';
import { isTodoList, MARGIN, type ShownToolEnd, toolBody, toolHeadline } from './tool-lines.ts';

interface CallLook {
  /** Columns that a row may take. */
  readonly columns: number;
  /** Renders an answer in `columns` columns. */
  readonly stream: (columns: number) => AnswerStream;
}

const MOST_ANSWER_ROWS = 1;
const MOST_FAILURE_ROWS = 16;
/** The id of an agent ends with that of the session that began it. */
const AGENT_ID = /\b(session agent-[0-9a-f]{8})-[\w-]+$/;

export function callRows(end: ShownToolEnd, look: CallLook): StyledLine[] {
  return [...headlineRows(end, look.columns), ...bodyRows(end, look)];
}

function headlineRows(end: ShownToolEnd, columns: number): StyledLine[] {
  const [sign, ...words] = toolHeadline(end);
  const rows = wrapSpans(words, columns - 2);
  return rows.map((row, index) => [index === 0 ? sign! : spanOf('  '), ...row]);
}

function bodyRows(end: ShownToolEnd, look: CallLook): StyledLine[] {
  if (end.name === AGENT && (end.status === 'ok' || end.status === 'error')) return agentRows(end, look);
  // What went wrong is read, what went well is looked over.
  const isFitted = end.status === 'ok' && !isTodoList(end);
  return toolBody(end).flatMap((line) => (isFitted ? [fitLine(line, look.columns)] : wrapBehind(line, look.columns)));
}

/** The beginning of its answer, since the model will report it; more of a failure. Then its usage. */
function agentRows({ content, status }: ShownToolEnd, { columns, stream }: CallLook): StyledLine[] {
  const { said, facts } = agentParts(content);
  const answer = stream(columns - MARGIN.text.length);
  const rows = [...answer.push(said.trimStart()), ...answer.end()];
  const most = status === 'ok' ? MOST_ANSWER_ROWS : MOST_FAILURE_ROWS;
  const hidden = rows.length - most;
  const more = hidden > 0 ? `… ${countOf(hidden, 'more line')}: Ctrl+O` : '';
  const end = [more, facts.replace(AGENT_ID, '$1')].filter((part) => part !== '').join(' · ');
  return [
    ...rows.slice(0, most).map((row) => fitLine([MARGIN, ...row], columns)),
    ...(end === '' ? [] : [fitLine([MARGIN, spanOf(end, 'dim')], columns)]),
  ];
}
