// Asks, before there is a session, whether texts that came with the project may instruct the model: its AGENTS.md
// files, its skills, and a prompt file that its configuration names. Once for each text: an answer holds for the
// directory and the content. Text typed before the question could be read is kept for the prompt.
import type { App } from '../app/app.ts';
import type { ProjectText } from '../app/project/project-texts.ts';
import { type Paint, type StyledLine, spanOf } from '../display/paint.ts';
import { countOf } from '../display/quantities.ts';
import { cutSpans, wrapSpans } from '../display/wrap.ts';
import { reveal, revealLine } from './approval/reveal.ts';
import { askEarly } from './early-key.ts';
import { INTERRUPT_KEY } from './input/key-bindings.ts';
import { DECLINING_KEYS, type KeyAnswers } from './input/key-prompt.ts';
import type { ReplStreams } from './options.ts';
import { BottomRegion } from './render/bottom-region.ts';
import { terminalScreen } from './render/screen.ts';

type Answer = 'yes' | 'no' | 'view' | 'later' | 'leave';

const KEYS = '[y]es  [n]o  [v]iew all  Enter: not now';
const ANSWERS: KeyAnswers<Answer> = {
  y: 'yes',
  n: 'no',
  v: 'view',
  [INTERRUPT_KEY]: 'leave',
  ...Object.fromEntries(DECLINING_KEYS.map((key) => [key, 'later' as const])),
};
const SAID: Readonly<Record<Exclude<Answer, 'view'>, string>> = {
  yes: 'yes',
  no: 'no; /trust asks again',
  later: 'not now',
  leave: 'leave',
};
const MARGIN = spanOf('│ ', 'yellow');
const KIND_WORDS: Readonly<Record<ProjectText['kind'], string>> = {
  instructions: 'as instructions',
  prompt: 'as the system prompt',
  skill: 'as a skill',
  command: 'as a command',
};
/** Rows of each text before all of it is asked for. */
const FIRST_ROWS = 8;
/** More skills than this are a list of names at first. */
const MOST_SHOWN_SKILLS = 2;
const MOST_LISTED_SKILLS = 12;

/**
 * Asks about the texts that the user was not asked about yet. False: the user wants to leave.
 *
 * @throws OllmError IO_FAILED: the answer cannot be kept
 */
export async function askForTrust(app: App, streams: ReplStreams, paint: Paint): Promise<boolean> {
  const { projectTexts } = await import('../app/skills/project-skills.ts');
  const texts = projectTexts(app).filter(({ trusted }) => trusted === undefined);
  if (texts.length === 0) return true;
  const answer = await ask(texts, { app, streams, paint });
  if (answer === 'yes' || answer === 'no') await decideOn(app, texts, answer === 'yes');
  return answer !== 'leave';
}

/** Stores the user's answer about these texts. @throws OllmError IO_FAILED */
export async function decideOn(app: App, texts: readonly ProjectText[], trusted: boolean): Promise<void> {
  const { openTrustedTexts } = await import('../app/project/trusted-texts.ts');
  for (const root of new Set(texts.map((text) => text.root))) {
    await openTrustedTexts(app, root).decide(
      texts.filter((text) => text.root === root),
      trusted,
    );
  }
}

/** The question with the texts that it is about. No text begins a line outside of its frame. */
export function trustLines(
  texts: readonly ProjectText[],
  { columns, mostRows }: { readonly columns: number; readonly mostRows: number },
): readonly StyledLine[] {
  const say = (text: string, ...styles: StyledLine[number]['styles']) => wrapSpans([spanOf(text, ...styles)], columns);
  const skills = texts.filter(({ kind }) => kind === 'skill');
  const listed = Number.isFinite(mostRows) && skills.length > MOST_SHOWN_SKILLS ? skills : [];
  return [
    [],
    ...say('This project brings texts that would instruct the model:', 'bold'),
    ...skillList(listed, columns),
    ...texts.filter((text) => !listed.includes(text)).flatMap((text) => textLines(text, columns, mostRows)),
    ...say(
      'May they instruct the model? Only say yes if you trust their author. You are asked again when they change.',
    ),
  ];
}

/** Many skills as a list, so that what else is asked about stays on the screen. */
function skillList(skills: readonly ProjectText[], columns: number): readonly StyledLine[] {
  if (skills.length === 0) return [];
  const names = skills.slice(0, MOST_LISTED_SKILLS).map(({ path }) => revealLine(path));
  const rest = skills.length - names.length;
  const more = rest === 0 ? '' : `, and ${rest} more`;
  const text = `${countOf(skills.length, 'skill')}: ${names.join(', ')}${more}. v shows their texts.`;
  return wrapSpans([spanOf(text)], Math.max(1, columns - 2)).map((line): StyledLine => [MARGIN, ...line]);
}

function textLines(
  { kind, path, root, content }: ProjectText,
  columns: number,
  mostRows: number,
): readonly StyledLine[] {
  const { text, hasHidden } = reveal(content.trimEnd());
  const framed = (line: StyledLine) =>
    cutSpans(line, Math.max(1, columns - 2)).map((each): StyledLine => [MARGIN, ...each]);
  const rows = text.split('\n').flatMap((line) => framed([spanOf(line)]));
  const hidden = rows.length > mostRows + 1 ? rows.length - mostRows : 0;
  const what = KIND_WORDS[kind];
  const heading = wrapSpans([spanOf(`${revealLine(path)}, ${what}, in ${revealLine(root)}:`, 'dim')], columns);
  return [
    ...heading.map((line, index): StyledLine => (index === 0 ? line : [MARGIN, ...line])),
    ...(hidden === 0 ? rows : rows.slice(0, mostRows)),
    ...(hidden === 0 ? [] : framed([spanOf(`… ${countOf(hidden, 'more row')}: v shows all`, 'yellow')])),
    ...(hasHidden ? wrapSpans([spanOf('! It contains invisible characters, written as ⟨U+…⟩.', 'red')], columns) : []),
  ];
}

interface TextPlace {
  readonly app: App;
  readonly streams: ReplStreams;
  readonly paint: Paint;
}

async function ask(texts: readonly ProjectText[], { app, streams, paint }: TextPlace): Promise<Answer> {
  const screen = terminalScreen(streams.output, app.env.TERM !== 'dumb');
  const region = new BottomRegion(screen, paint);
  const show = (mostRows: number) => region.print(trustLines(texts, { columns: screen.columns - 1, mostRows }));
  const keys = () => wrapSpans([spanOf(KEYS, 'bold')], screen.columns - 1);
  const draw = () => (screen.movable ? region.draw(keys()) : region.print(keys()));
  show(FIRST_ROWS);
  for (;;) {
    const answer = await askEarly<Answer>(app, streams, { answers: ANSWERS, gone: 'leave', region, draw });
    if (answer !== 'view') {
      region.print([[spanOf(`→ ${SAID[answer]}`, answer === 'yes' ? 'green' : 'dim')]]);
      return answer;
    }
    show(Number.POSITIVE_INFINITY);
  }
}
