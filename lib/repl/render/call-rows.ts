// A tool call that is over, as rows of a screen: its headline, and below it its output. The answer of an agent is
// rendered as any answer is. Pure.
import { type Line, plainSpan } from '../../display/paint.ts';
import { fitLine, wrapBehind, wrapSpans } from '../../display/wrap.ts';
import { AGENT, agentParts } from '../../tools/builtin/agent.ts';
import type { AnswerStream } from './stream.ts';
import { hiddenLine, isTodoList, MARGIN, type ToolEnd, toolBody, toolHeadline } from './tool-lines.ts';

export interface CallLook {
  /** Columns that a row may take. */
  readonly columns: number;
  /** Renders an answer in so many columns. */
  readonly stream: (columns: number) => AnswerStream;
}

const MOST_ANSWER_ROWS = 16;

export function callRows(end: ToolEnd, look: CallLook): Line[] {
  return [...headlineRows(end, look.columns), ...bodyRows(end, look)];
}

function headlineRows(end: ToolEnd, columns: number): Line[] {
  const [sign, ...words] = toolHeadline(end);
  const rows = wrapSpans(words, columns - 2);
  return rows.map((row, index) => [index === 0 ? sign! : plainSpan('  '), ...row]);
}

function bodyRows(end: ToolEnd, look: CallLook): Line[] {
  if (end.name === AGENT && (end.status === 'ok' || end.status === 'error')) return agentRows(end.content, look);
  // What went wrong is read, what went well is looked over.
  const isFitted = end.status === 'ok' && !isTodoList(end);
  return toolBody(end).flatMap((line) => (isFitted ? [fitLine(line, look.columns)] : wrapBehind(line, look.columns)));
}

function agentRows(content: string, { columns, stream }: CallLook): Line[] {
  const { said, facts } = agentParts(content);
  const answer = stream(columns - MARGIN.text.length);
  const rows = [...answer.push(said), ...answer.end()];
  // To say that one row is hidden takes a row as well.
  const isWhole = rows.length <= MOST_ANSWER_ROWS + 1;
  return [
    ...(isWhole ? rows : rows.slice(0, MOST_ANSWER_ROWS)).map((row) => fitLine([MARGIN, ...row], columns)),
    ...(isWhole ? [] : [fitLine(hiddenLine(rows.length - MOST_ANSWER_ROWS), columns)]),
    ...(facts === '' ? [] : wrapBehind([MARGIN, { text: facts, styles: ['dim'] }], columns)),
  ];
}
