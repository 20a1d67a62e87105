// The question as lines: exactly what would run or change, where, inside which boundary, and why the user is asked. Of
// an edit of the project that is its title and its difference; the rest is shown on demand. Rows that do not fit the
// screen are counted in their place and can be shown; nothing is left out in silence. Pure.
import { type Style, type StyledLine, type StyledSpan, spanOf } from '../../display/paint.ts';
import { countOf } from '../../display/quantities.ts';
import { shellLine } from '../../display/shell-line.ts';
import { cutSpans, wrapSpans } from '../../display/wrap.ts';
import type { Command, Preview } from '../../tools/action.ts';
import type { ApprovalRequest } from '../../tools/decision.ts';
import { diffLine } from '../render/diff-lines.ts';
import { reveal, revealLine } from './reveal.ts';

interface ApprovalSize {
  /** Columns that a line may take. */
  readonly columns: number;
  /** Rows that the whole may take; Infinity shows all of it. */
  readonly rows: number;
  /** Whether the line of keys names the rules. Default: no. */
  readonly keysNameRules?: boolean | undefined;
}

interface ApprovalPicture {
  readonly lines: readonly StyledLine[];
  /** Rows that had no place. */
  readonly hidden: number;
}

/** Rows of the body that are shown on any screen. */
const FEWEST_ROWS = 6;
const BODY_MARGIN: StyledSpan = spanOf('│ ', 'yellow');
const FRAME_COLUMNS = 2;

export function approvalLines(request: ApprovalRequest, size: ApprovalSize): ApprovalPicture {
  const { columns, rows } = size;
  const isShort = rows !== Number.POSITIVE_INFINITY && isPlainEdit(request);
  const facts = factLines(request, size, isShort);
  const body = bodyLines(request, { columns, isShort });
  const room = Math.max(FEWEST_ROWS, rows - facts.above.length - facts.below.length);
  if (body.length <= room) return { lines: [...facts.above, ...body, ...facts.below], hidden: 0 };
  const tail = Math.floor((room - 1) / 3);
  const head = room - 1 - tail;
  const hidden = body.length - head - tail;
  const mark: StyledLine = [BODY_MARGIN, spanOf(`… ${countOf(hidden, 'more row')}: v shows all`, 'yellow', 'bold')];
  const shortened = [...body.slice(0, head), mark, ...body.slice(body.length - tail)];
  return { lines: [...facts.above, ...shortened.flatMap((line) => cutSpans(line, columns)), ...facts.below], hidden };
}

/** Whether its title and its difference say all that it does. */
export function isPlainEdit({ action, decision }: Pick<ApprovalRequest, 'action' | 'decision'>): boolean {
  const paths = new Set(action.accesses.map(({ path }) => path));
  const isShown = action.preview?.kind === 'diff' && paths.size === 1;
  return decision.isEdit === true && decision.dangerous === undefined && action.command === undefined && isShown;
}

/** The rules that “always” and “never” would make, each with its key; “never” only where it says another one. */
export function rulesOf({ decision }: Pick<ApprovalRequest, 'decision'>): Readonly<Record<'always' | 'never', string>> {
  const { grant, alsoGrant = [], denial } = decision;
  const always = grant === undefined ? '' : [grant, ...alsoGrant].map(revealLine).join(', ');
  return { always, never: denial === undefined || denial === grant ? '' : revealLine(denial) };
}

/**
 * Each fact begins with a fixed word, is one line, and wraps inside the frame if it is too long for the screen: no text
 * of a model begins a line outside the frame.
 */
function factLines(
  { action, decision, sandbox, asker, program = action.tool }: ApprovalRequest,
  { columns, keysNameRules = false }: ApprovalSize,
  isShort: boolean,
) {
  const wrapped = (text: string, ...styles: readonly Style[]): StyledLine[] => {
    const span = spanOf(revealLine(text), ...styles);
    const [first = [], ...more] = wrapSpans([span], columns);
    if (more.length === 0) return [first];
    const inFrame = wrapSpans([span], Math.max(1, columns - FRAME_COLUMNS));
    return inFrame.map((line, index) => (index === 0 ? line : [BODY_MARGIN, ...line]));
  };
  const boundary = action.command === undefined ? sandbox : `in ${action.command.cwd} · ${sandbox}`;
  return {
    above: [
      ...(asker === undefined ? [] : wrapped(`for the ${asker}:`, 'bold')),
      ...wrapped(
        action.command === undefined ? `${program} asks: ${action.summary}` : `${program} asks to run:`,
        'bold',
      ),
      ...(decision.dangerous === undefined ? [] : wrapped(`! dangerous: ${decision.dangerous}`, 'red', 'bold')),
    ],
    below: [
      ...(hasHidden(action) ? wrapped('! It contains invisible characters, written as ⟨U+…⟩.', 'red', 'bold') : []),
      ...(isShort
        ? []
        : [...wrapped(boundary, 'dim'), ...wrapped(`why: ${reasonFor(action, decision)} (${decision.rule})`, 'dim')]),
      ...(keysNameRules ? [] : ruleLines(decision, wrapped)),
    ],
  };
}

function ruleLines(
  { grant, alsoGrant = [], denial }: ApprovalRequest['decision'],
  wrapped: (text: string, ...styles: readonly Style[]) => StyledLine[],
): StyledLine[] {
  return [
    ...(grant === undefined ? [] : wrapped(`a would always allow: ${grant}`, 'dim')),
    ...alsoGrant.flatMap((rule) => wrapped(`  and always allow: ${rule}`, 'dim')),
    ...(denial === undefined || denial === grant ? [] : wrapped(`r would never allow: ${denial}`, 'dim')),
  ];
}

/** A reason that only repeats the command, which is shown above, says less than the rule. */
function reasonFor({ command }: ApprovalRequest['action'], { reason }: ApprovalRequest['decision']): string {
  return reason === `It runs ${lineOf(command)?.trim()}.` ? 'No rule allows this command.' : reason;
}

function bodyLines(
  { action }: ApprovalRequest,
  { columns, isShort }: { readonly columns: number; readonly isShort: boolean },
): StyledLine[] {
  const { command, accesses } = action;
  // A command needs to be shown once.
  const preview = action.preview?.text.trim() === lineOf(command)?.trim() ? undefined : action.preview;
  // What a preview shows of the only file that is touched needs no list of files.
  const listed = isShort || (preview !== undefined && accesses.length === 1) ? [] : accesses;
  const lines: StyledLine[] = [
    ...(command === undefined ? [] : commandLines(command)),
    ...(preview === undefined ? [] : previewLines(preview).slice(isShort ? namedByTitle(preview) : 0)),
    ...(command === undefined || preview === undefined ? listed : []).map(
      ({ kind, path }): StyledLine => [spanOf(`${kind}s `, 'dim'), spanOf(revealLine(path))],
    ),
  ];
  return lines
    .flatMap((line) => cutSpans(line, Math.max(1, columns - FRAME_COLUMNS)))
    .map((line) => [BODY_MARGIN, ...line]);
}

/** The rows of a difference that only name the file. */
function namedByTitle({ text }: Preview): number {
  return /^--- .*\n\+\+\+ .*\n@@/.test(text) ? 2 : 0;
}

function lineOf(command: Command | undefined): string | undefined {
  return command?.kind === 'program' ? shellLine(command.argv) : command?.line;
}

function commandLines(command: Command): StyledLine[] {
  return reveal(lineOf(command) ?? '', { isShell: command.kind === 'shell' })
    .text.split('\n')
    .map((line, index): StyledLine => [spanOf(index === 0 ? '$ ' : '  ', 'dim'), spanOf(line)]);
}

function previewLines({ kind, text }: Preview): StyledLine[] {
  const lines = reveal(text.endsWith('\n') ? text.slice(0, -1) : text).text.split('\n');
  return lines.map((line) => (kind === 'diff' ? diffLine(line) : [spanOf(line)]));
}

function hasHidden({ command, preview, accesses, summary, tool }: ApprovalRequest['action']): boolean {
  const texts = [tool, summary, preview?.text ?? '', ...accesses.map(({ path }) => path)];
  if (command?.kind === 'program') texts.push(...command.argv);
  if (command?.kind === 'shell' && reveal(command.line, { isShell: true }).hasHidden) return true;
  return texts.some((text) => reveal(text).hasHidden);
}
