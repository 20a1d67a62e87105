// Asks once at a first start what should answer, where no Ollama does and something else was found: a server on this
// machine, a key in a variable, or the search only. The answer is kept in the user's config.yaml. Enter and Escape keep
// nothing: the search answers for now, and the next start asks again.
import type { App } from '../app/app.ts';
import { type FirstChoice, firstChoices, keepFirstChoice, type UsualServer } from '../app/providers/first-choice.ts';
import { type Paint, type StyledLine, type StyledSpan, spanOf } from '../display/paint.ts';
import { sanitizeLine } from '../display/sanitize.ts';
import { wrapSpans } from '../display/wrap.ts';
import { isOllmError } from '../errors/index.ts';
import { askEarly } from './early-key.ts';
import { INTERRUPT_KEY } from './input/key-bindings.ts';
import { DECLINING_KEYS } from './input/key-prompt.ts';
import type { ReplStreams } from './options.ts';
import { pickHere } from './pick-session.ts';
import { BottomRegion } from './render/bottom-region.ts';
import { terminalScreen } from './render/screen.ts';

/** `kept`: the configuration is another one now. */
type FirstAnswer = 'kept' | 'not-now' | 'leave';

/** More than one key answers for. */
const MOST_CHOICES = 9;

interface FirstQuestionOptions {
  readonly streams: ReplStreams;
  readonly paint: Paint;
  readonly servers?: readonly UsualServer[] | undefined;
}

/** @throws OllmError IO_FAILED: the answer cannot be kept; PROVIDER_*: the models of the chosen one cannot be listed */
export async function askFirst(app: App, { streams, paint, servers }: FirstQuestionOptions): Promise<FirstAnswer> {
  const choices = (await firstChoices(app, servers)).slice(0, MOST_CHOICES);
  if (choices.length === 0) return 'not-now';
  const screen = terminalScreen(streams.output, true);
  const region = new BottomRegion(screen, paint);
  const say = (text: string, ...styles: StyledSpan['styles']) =>
    wrapSpans([spanOf(text, ...styles)], screen.columns - 1);
  region.print([
    [],
    ...say('No language model answers here yet. What should answer in new sessions?', 'bold'),
    ...choices.flatMap((choice, index): readonly StyledLine[] => say(`  [${index + 1}] ${wordsOf(choice)}`)),
    ...say('  [s] only the built-in search, always'),
  ]);
  const answer = await askEarly<FirstChoice | 'not-now' | 'leave'>(app, streams, {
    answers: {
      ...Object.fromEntries(choices.map((choice, index) => [String(index + 1), choice])),
      s: { kind: 'search' },
      [INTERRUPT_KEY]: 'leave',
      ...Object.fromEntries(DECLINING_KEYS.map((key) => [key, 'not-now' as const])),
    },
    gone: 'leave',
    region,
    draw: () => region.draw(say('Enter: only the search, for now', 'dim')),
  });
  if (answer === 'leave' || answer === 'not-now') return answer;
  try {
    const model = await modelOf(app, answer, { streams, paint });
    if (model === undefined && answer.kind !== 'search') return 'not-now';
    await keepFirstChoice(app, answer, model);
    region.print(say(`Kept in ${app.configuration.userFile}. /provider --default changes it.`, 'dim'));
    return 'kept';
  } catch (error) {
    if (!isOllmError(error)) throw error;
    region.print([...say(error.message, 'red'), ...say(error.hint ?? '', 'dim')]);
    return 'not-now';
  }
}

/** The model to keep; undefined for the search, and where the user chose none. A key is used only from here on. */
async function modelOf(
  app: App,
  choice: FirstChoice,
  { streams, paint }: Pick<FirstQuestionOptions, 'streams' | 'paint'>,
): Promise<string | undefined> {
  if (choice.kind === 'search') return undefined;
  const names =
    choice.kind === 'server'
      ? choice.models
      : (await (await app.providers.load(choice.provider)).models()).map(({ name }) => name);
  if (names.length < 2) return names[0];
  const find = (typed: string) => names.filter((name) => name.toLowerCase().includes(typed.toLowerCase()));
  const rowOf = (name: string): StyledLine => [spanOf(sanitizeLine(name))];
  return pickHere({ title: 'Which model?', find, rowOf }, streams, paint);
}

function wordsOf(choice: FirstChoice): string {
  switch (choice.kind) {
    case 'server': {
      const { server, models } = choice;
      const what = models.length === 1 ? sanitizeLine(models[0]) : `${models.length} models`;
      return `${server.title} at 127.0.0.1:${server.port}: ${what}`;
    }
    case 'key':
      return `${choice.provider}, with the key in ${choice.variable}`;
    case 'search':
      return 'only the built-in search';
  }
}
