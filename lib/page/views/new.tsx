// A new session: a prompt with its images, who answers, a model and how long it may think, a directory, a mode.
import { useEffect, useRef, useState } from 'preact/hooks';
import { server } from '../api/server.ts';
import type { ModelChoice, SentProvider } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';
import { oneLine } from '../model/visible.ts';
import { AttachButton, AttachedImages, attach } from '../parts/attached-images.tsx';
import { useDrop } from '../parts/drop.ts';
import { agentName, Icon } from '../parts/icon.tsx';
import { Problem } from '../parts/problem.tsx';
import { go, onSubmit, sessionLink } from '../router.ts';
import { useAgents } from '../state/agents.ts';
import { useAttempt } from '../state/attempt.ts';
import { useCommands } from '../state/commands.ts';
import { changeDraft, draftOf, takeSent, useDraft } from '../state/draft.ts';
import { useIsComposer } from '../state/presence.ts';
import { noteBegun } from '../state/sending.ts';
import { useTitle } from '../state/title.ts';
import { MODE_MEANING, noteToolMode, TOOL_MODES } from '../state/tool-mode.ts';
import '../parts/composer.css';
import './new.css';

const DRAFT = 'new';

interface Choices {
  /** An agent of another maker. Empty: ollm. */
  readonly agent: string;
  /** The provider and the name, with a space between them; of an agent, the name in its words. Empty: as configured. */
  readonly model: string;
  readonly thinking: string;
  readonly workspace: string;
  readonly mode: string;
}

export function NewView() {
  useIsComposer();
  const { text, images } = useDraft(DRAFT);
  const [choices, setChoices] = useState<Choices>({ agent: '', model: '', thinking: '', workspace: '', mode: '' });
  const [isSending, setIsSending] = useState(false);
  const { attempt, problem } = useAttempt();
  const box = useRef<HTMLTextAreaElement>(null);
  useCommands([{ keys: 'c', title: 'To the composer', run: () => box.current?.focus(), isKeyOnly: true }]);
  const drop = useDrop((files) => attempt(() => attach(DRAFT, files)));
  const models = useResource('models', (signal) => server.listModels({ parameters: { provider: 'ollm' }, signal }));
  const agents = useAgents();
  const agent = agents.find(({ id }) => id === choices.agent);
  const isMissing = agent !== undefined && agent.program === undefined;
  useTitle('New session');
  useEffect(() => box.current?.focus(), []);
  const model = models.value?.models.find((each) => idOf(each) === choices.model);
  const send = (): Promise<void> =>
    attempt(async () => {
      if (draftOf(DRAFT).text.trim() === '' || isSending || isMissing) return;
      setIsSending(true);
      try {
        await start(choices, model);
      } finally {
        setIsSending(false);
      }
    });
  return (
    <div class="view-body" tabIndex={0}>
      <form class="new-form" aria-label="New session" onSubmit={onSubmit(send)} {...drop.handlers}>
        <h1>New session</h1>
        <Problem text={problem} />
        <div class={`composer${drop.isOver ? ' dragged-over' : ''}`}>
          <AttachedImages address={DRAFT} images={images} />
          <textarea
            ref={box}
            id="composer"
            rows={4}
            dir="auto"
            value={text}
            aria-label="Message"
            placeholder="Ask, or describe a task"
            onInput={(event) => changeDraft(DRAFT, () => ({ text: event.currentTarget.value }))}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
                event.preventDefault();
                void send();
              }
            }}
            onPaste={drop.onPaste}
          />
          <div class="composer-bar">
            <AttachButton onFiles={drop.take} />
            <Selects
              choices={choices}
              onChange={setChoices}
              agents={agents}
              agent={agent}
              models={models.value?.models ?? []}
              model={model}
            />
            <span class="meter" />
            <button
              type="submit"
              class="button main round"
              disabled={text.trim() === '' || isSending || isMissing}
              aria-label="Send"
            >
              {isSending ? <span class="ring" /> : <Icon name="send" />}
            </button>
          </div>
        </div>
        {isMissing ? (
          <p class="missing" role="status">
            {agent.install}
          </p>
        ) : null}
        <p class="meta" role="status">
          {isSending
            ? `Starting${agent === undefined ? '' : ` ${agentName(agent.id)}`}…`
            : 'Enter sends, Shift Enter makes a new line. Tools ask before they change anything.'}
        </p>
      </form>
    </div>
  );
}

const idOf = ({ answerer, value }: ModelChoice): string => `${answerer} ${value}`;

async function start(choices: Choices, model: ModelChoice | undefined): Promise<void> {
  const { agent, thinking, workspace, mode } = choices;
  const sent = draftOf(DRAFT);
  const toolMode = TOOL_MODES.find((each) => each === mode);
  const body = {
    prompt: sent.text,
    ...(sent.images.length === 0 ? {} : { assets: sent.images.map(({ hash }) => hash) }),
    ...(workspace === '' ? {} : { workspacePath: workspace }),
    ...(thinking === '' ? {} : { thinkingMode: thinking }),
  };
  const ofAgent = {
    ...(choices.model === '' ? {} : { model: choices.model.trim() }),
    ...(mode === '' ? {} : { runtimePermissionMode: mode }),
  };
  const ofOllm = {
    ...(model === undefined ? {} : { answerer: model.answerer, model: model.value }),
    ...(toolMode === undefined ? {} : { toolMode }),
  };
  const { sessionId } =
    agent === ''
      ? await server.startSession({ body: { ...body, ...ofOllm } })
      : await server.startWith({ parameters: { provider: agent }, body: { ...body, ...ofAgent } });
  if (toolMode !== undefined) noteToolMode(sessionId, toolMode);
  takeSent(DRAFT, sent);
  noteBegun(sessionId, sent.text);
  go(sessionLink(sessionId));
}

interface SelectsProps {
  choices: Choices;
  onChange: (choices: Choices) => void;
  agents: readonly SentProvider[];
  agent: SentProvider | undefined;
  models: readonly ModelChoice[];
  model: ModelChoice | undefined;
}

function Selects({ choices, onChange, agents, agent, models, model }: SelectsProps) {
  const workspaces = useResource('workspaces', (signal) => server.listWorkspaces({ signal }));
  const select = (label: string, name: keyof Choices, options: readonly (readonly [value: string, text: string])[]) => (
    <select
      aria-label={label}
      class="button plain"
      value={choices[name]}
      onChange={(event) => {
        const rest =
          name === 'agent' ? { model: '', thinking: '', mode: '' } : name === 'model' ? { thinking: '' } : {};
        onChange({ ...choices, ...rest, [name]: event.currentTarget.value });
      }}
    >
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
  const modes = model?.supportedThinkingModes ?? [];
  const directory = select('Directory', 'workspace', [
    ['', 'Where ollm was started'],
    ...(workspaces.value?.workspaces.map(({ path }) => [path, path] as const) ?? []),
  ]);
  const who = select('Agent', 'agent', [
    ['', 'ollm'],
    ...agents.map(
      ({ id, program }) => [id, `${agentName(id)}${program === undefined ? ', not installed' : ''}`] as const,
    ),
  ]);
  if (agent !== undefined)
    return (
      <>
        {who}
        <AgentFields agent={agent} choices={choices} onChange={onChange} />
        {directory}
        {select('Mode', 'mode', [
          ['', 'Asks before it acts'],
          ['deny', 'Denies each question'],
        ])}
      </>
    );
  return (
    <>
      {who}
      {select('Model', 'model', [
        ['', 'As configured'],
        ...models.map((each) => [idOf(each), `${oneLine(each.displayName)} (${oneLine(each.answerer)})`] as const),
      ])}
      {modes.length === 0
        ? null
        : select('Thinking', 'thinking', [
            ['', 'Thinking as configured'],
            ...modes.map((mode) => [mode, `Thinking: ${mode}`] as const),
          ])}
      {directory}
      {select('Mode', 'mode', [
        ['', 'Mode as configured'],
        ...TOOL_MODES.map((mode) => [mode, `${mode}: ${MODE_MEANING[mode]}`] as const),
      ])}
    </>
  );
}

/** The agent names its models and levels itself: those that it named before are offered, others can be typed. */
function AgentFields({
  agent,
  choices,
  onChange,
}: Pick<SelectsProps, 'choices' | 'onChange'> & { agent: SentProvider }) {
  const { id, capabilities } = agent;
  const known = useResource(`models of ${id}`, (signal) => server.listModels({ parameters: { provider: id }, signal }));
  const models = known.value?.models ?? [];
  const levels = [...new Set(models.flatMap(({ supportedThinkingModes }) => supportedThinkingModes ?? []))];
  const field = (name: 'model' | 'thinking', label: string, offered: readonly string[]) => (
    <>
      <input
        class="button plain"
        aria-label={label}
        placeholder={label}
        value={choices[name]}
        list={`known-${name}`}
        size={12}
        onInput={(event) => onChange({ ...choices, [name]: event.currentTarget.value })}
      />
      <datalist id={`known-${name}`}>
        {offered.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </>
  );
  return (
    <>
      {capabilities.supportsModelSwitching
        ? field(
            'model',
            'Its own model',
            models.map(({ value }) => value),
          )
        : null}
      {capabilities.supportsThinkingModeControl ? field('thinking', 'Thinking', levels) : null}
    </>
  );
}
