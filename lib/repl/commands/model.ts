// The commands about who answers: models, providers, and how much a model thinks. Without an argument they let the user
// choose at a terminal, and list at a pipe. --default keeps the choice in the user's own config.yaml.
import type { AnsweringAgent } from '../../app/conversation.ts';
import type { AnswererWish } from '../../app/providers/choose-provider.ts';
import { switchModel } from '../../app/sessions/open/switch-model.ts';
import { spanOf } from '../../display/paint.ts';
import { shortCount } from '../../display/quantities.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import type { ModelInfo, Provider } from '../../providers/provider.ts';
import { THINKING_MODES, type ThinkingMode } from '../../providers/thinking.ts';
import { type CommandContext, type ReplCommand, wrongUsage } from './command.ts';

const DEFAULT_FLAG = '--default';
const KEEPS = '--default also keeps the choice in your config.yaml, for new sessions';

export const modelCommand: ReplCommand = {
  name: 'model',
  aliases: ['models'],
  group: 'model',
  arguments: '[MODEL] [--default]',
  summary: 'chooses the model that answers',
  details: `Without a model it lets you choose one of the provider; at a pipe it lists them. ${KEEPS}`,
  example: '/model llama3.2 --default',
  legal: 'writable',
  async complete({ conversation: { choice, agent }, signal }) {
    return agent?.models.all.map(({ value }) => value) ?? modelNames(choice.provider, signal);
  },
  async run(context, argument) {
    const { words, isDefault } = wordsOf(argument);
    const { choice, agent } = context.conversation;
    const { provider } = choice;
    if (agent !== undefined) {
      const setting = `"ollm config set runs.${agent.name}.model MODEL" keeps a choice for new sessions.`;
      if (isDefault) throw wrongUsage(modelCommand, `${agent.title} answers here. ${setting}`);
      return setAgent(context, agent, 'model', argument.trim());
    }
    if (words.length > 1) throw wrongUsage(modelCommand);
    const model = words[0] ?? (isDefault ? context.conversation.choice.model : await chosenModel(context, provider));
    if (model === undefined) return;
    await switchTo(context, { provider: provider.name, model });
    context.front.print(`From now on ${sanitizeLine(context.conversation.choice.model)} answers.`);
    if (isDefault) await keepChoice(context);
  },
};

export const providerCommand: ReplCommand = {
  name: 'provider',
  group: 'model',
  arguments: '[PROVIDER [MODEL]] [--default]',
  summary: 'chooses the provider that answers, and its model',
  details: `Without a provider it lets you choose one; at a pipe it says which answers and why. ${KEEPS}`,
  example: '/provider offline',
  legal: 'writable',
  async complete({ app, signal }, argument) {
    const [name = '', model] = argument.trimStart().split(/\s+/);
    if (model === undefined) return app.providers.names;
    return app.providers.names.includes(name) ? modelNames(await app.providers.load(name), signal) : [];
  },
  async run(context, argument) {
    const { words, isDefault } = wordsOf(argument);
    if (words.length > 2) throw wrongUsage(providerCommand);
    const wish =
      words.length === 0 && !isDefault ? await chosenProvider(context) : { provider: words[0], model: words[1] };
    if (wish?.provider !== undefined) await switchTo(context, wish);
    const { choice } = context.conversation;
    context.front.print(`${sanitizeLine(choice.why)} Model: ${sanitizeLine(choice.model)}.`);
    context.front.print(`Providers: ${context.app.providers.names.join(', ')}.`);
    if (isDefault) await keepChoice(context);
  },
};

export const thinkingCommand: ReplCommand = {
  name: 'thinking',
  aliases: ['effort'],
  group: 'model',
  arguments: `[${THINKING_MODES.join(' | ')}]`,
  summary: 'shows what the model has, or sets how much it thinks',
  example: '/thinking high',
  legal: 'writable',
  complete: ({ conversation: { choice, agent }, signal }) =>
    agent?.thinking.all.map(({ value }) => value) ?? modesOf(choice, signal),
  async run(context, argument) {
    const mode = argument.trim();
    const { choice, agent } = context.conversation;
    if (agent !== undefined) return setAgent(context, agent, 'thinking', mode);
    if (mode === '') {
      const modes = await modesOf(choice, context.signal);
      const has = modes.length === 0 ? 'it cannot be set for this model' : `it has ${modes.join(', ')}`;
      const name = sanitizeLine(choice.model);
      context.front.print(`${name} thinks ${choice.thinking ?? 'as it does by itself'}; ${has}.`);
      return;
    }
    if (!isMode(mode)) throw wrongUsage(thinkingCommand, `${sanitizeLine(mode)} is not a mode of thinking.`);
    await switchTo(context, { thinking: mode });
    context.front.print(`From now on ${sanitizeLine(choice.model)} thinks ${mode}.`);
  },
};

/** An agent has models and modes in its own words. */
async function setAgent(
  { front }: CommandContext,
  agent: AnsweringAgent,
  what: 'model' | 'thinking',
  named: string,
): Promise<void> {
  const { all, current } = what === 'model' ? agent.models : agent.thinking;
  const title = what === 'model' ? `Which model of ${agent.title}?` : `How much should ${agent.title} think?`;
  const rowOf = ({ value, name, description = '' }: (typeof all)[number]) => {
    // Some begin the description with the name, and some give a choice no name but its value.
    const isNamed = name.toLowerCase() !== value.toLowerCase() && !description.startsWith(name);
    const words = [value, ...(isNamed ? [name] : []), ...(description === '' ? [] : [description])];
    return sanitizeLine(`${value === current ? '*' : ' '} ${words.join(' · ')}`);
  };
  if (named === '' && all.length === 0) {
    front.print(`${agent.title} lets no ${what === 'model' ? 'model' : 'mode of thinking'} be chosen.`);
    return;
  }
  const picked = named || (await pickedFrom(front, { title, all, rowOf }))?.value;
  if (picked === undefined) return;
  await agent.change({ [what]: picked });
  const now = (what === 'model' ? agent.models : agent.thinking).current ?? picked;
  const says = what === 'model' ? 'answers with' : 'thinks';
  front.print(`From now on ${agent.title} ${says} ${sanitizeLine(now)}.`);
}

function isMode(text: string): text is ThinkingMode {
  return (THINKING_MODES as readonly string[]).includes(text);
}

async function modesOf(
  { provider, model }: CommandContext['conversation']['choice'],
  signal: AbortSignal,
): Promise<readonly ThinkingMode[]> {
  return (await provider.thinkingModes?.(model, { signal })) ?? [];
}

function wordsOf(argument: string): { readonly words: readonly string[]; readonly isDefault: boolean } {
  const words = argument.split(/\s+/).filter((word) => word !== '');
  return { words: words.filter((word) => word !== DEFAULT_FLAG), isDefault: words.includes(DEFAULT_FLAG) };
}

async function switchTo(context: CommandContext, wish: AnswererWish): Promise<void> {
  const { notices } = await context.leader.change((app, conversation) => switchModel(app, conversation, wish, context));
  for (const notice of notices) context.front.notice(notice);
}

/** Undefined: none was chosen, or they were listed because nothing can be chosen here. */
async function chosenModel(context: CommandContext, provider: Provider): Promise<string | undefined> {
  const { front, conversation, signal } = context;
  const models = await provider.models({ signal });
  const isOwn = provider.name === conversation.choice.provider.name;
  const rowOf = ({ name, contextWindow }: ModelInfo): string => {
    const window = contextWindow === undefined ? '' : `, ${shortCount(contextWindow)} tokens`;
    return `${isOwn && name === conversation.choice.model ? '*' : ' '} ${sanitizeLine(name)}${window}`;
  };
  const title = `Which model of ${provider.name}?`;
  return (await pickedFrom(front, { title, all: models, rowOf, nameOf: ({ name }) => name }))?.name;
}

interface Choices<Item> {
  readonly title: string;
  readonly all: readonly Item[];
  readonly rowOf: (item: Item) => string;
  /** The words that it is found by; by default its row. */
  readonly nameOf?: (item: Item) => string;
}

/** Undefined: none was chosen, or they were listed because nothing can be chosen here. */
async function pickedFrom<Item>(
  front: CommandContext['front'],
  { title, all, rowOf, nameOf = rowOf }: Choices<Item>,
): Promise<Item | undefined> {
  if (front.pick === undefined) for (const each of all) front.print(rowOf(each));
  const find = (typed: string) => all.filter((each) => nameOf(each).toLowerCase().includes(typed.toLowerCase()));
  return front.pick?.({ title, find, rowOf: (each) => [spanOf(rowOf(each))] });
}

/** The model is asked for too, where the provider has several. */
async function chosenProvider(context: CommandContext): Promise<AnswererWish | undefined> {
  const { app, front, conversation, signal } = context;
  if (front.pick === undefined) return undefined;
  const { keyOf } = await import('../../app/providers/list-providers.ts');
  const rowOf = (name: string): string => {
    const key = keyOf(app, name);
    const isOwn = name === conversation.choice.provider.name;
    return `${isOwn ? '*' : ' '} ${name}${key === undefined ? '' : key === 'none' ? ', no key' : `, key in ${key}`}`;
  };
  const choices = { title: 'Which provider?', all: app.providers.names, rowOf, nameOf: (each: string) => each };
  const name = await pickedFrom(front, choices);
  if (name === undefined) return undefined;
  const provider = await app.providers.load(name);
  const isOne = (await provider.models({ signal })).length === 1;
  const model = isOne ? undefined : await chosenModel(context, provider);
  return isOne || model !== undefined ? { provider: name, model } : undefined;
}

/** The provider and the model together: the one without the other may not go. */
async function keepChoice({ app, front, conversation }: CommandContext): Promise<void> {
  const { keepAnswerer } = await import('../../app/providers/keep-answerer.ts');
  const { path } = await keepAnswerer(app, conversation.choice);
  front.print(`New sessions begin with it: ${path} says so.`);
}

async function modelNames(provider: Provider, signal: AbortSignal): Promise<readonly string[]> {
  return (await provider.models({ signal })).map(({ name }) => name);
}
