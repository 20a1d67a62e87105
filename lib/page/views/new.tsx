// A new session: a prompt with its images, a model and how long it may think, a directory, a mode.
import { useEffect, useRef, useState } from 'preact/hooks';
import { server } from '../api/server.ts';
import type { ModelChoice } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';
import { oneLine } from '../model/visible.ts';
import { AttachButton, AttachedImages, attach } from '../parts/attached-images.tsx';
import { useDrop } from '../parts/drop.ts';
import { Icon } from '../parts/icon.tsx';
import { COMPOSER_COMMANDS } from '../parts/keys.tsx';
import { Problem } from '../parts/problem.tsx';
import { go, sessionLink } from '../router.ts';
import { useAttempt } from '../state/attempt.ts';
import { useCommands } from '../state/commands.ts';
import { changeDraft, draftOf, takeSent, useDraft } from '../state/draft.ts';
import { useIsComposer } from '../state/presence.ts';
import { useTitle } from '../state/title.ts';
import { MODE_MEANING, noteToolMode, TOOL_MODES } from '../state/tool-mode.ts';
import '../parts/composer.css';
import './new.css';

const DRAFT = 'new';

interface Choices {
  /** The provider and the name, with a space between them. Empty: as configured. */
  readonly model: string;
  readonly thinking: string;
  readonly workspace: string;
  readonly mode: string;
}

export function NewView() {
  useIsComposer();
  useCommands(COMPOSER_COMMANDS);
  const { text, images } = useDraft(DRAFT);
  const [choices, setChoices] = useState<Choices>({ model: '', thinking: '', workspace: '', mode: '' });
  const [isSending, setIsSending] = useState(false);
  const { attempt, problem } = useAttempt();
  const box = useRef<HTMLTextAreaElement>(null);
  const drop = useDrop((files) => attempt(() => attach(DRAFT, files)));
  const models = useResource('models', (signal) => server.listModels({ parameters: { provider: 'ollm' }, signal }));
  useTitle('New session');
  useEffect(() => box.current?.focus(), []);
  const model = models.value?.models.find((each) => idOf(each) === choices.model);
  const send = (): Promise<void> =>
    attempt(async () => {
      if (draftOf(DRAFT).text.trim() === '' || isSending) return;
      setIsSending(true);
      try {
        await start(choices, model);
      } finally {
        setIsSending(false);
      }
    });
  return (
    <div class="view-body" tabIndex={0}>
      <form
        class="new-form"
        aria-label="New session"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
        {...drop.handlers}
      >
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
            <Selects choices={choices} onChange={setChoices} models={models.value?.models ?? []} model={model} />
            <span class="meter" />
            <button
              type="submit"
              class="button main round"
              disabled={text.trim() === '' || isSending}
              aria-label="Send"
            >
              {isSending ? <span class="ring" /> : <Icon name="send" />}
            </button>
          </div>
        </div>
        <p class="meta" role="status">
          {isSending
            ? 'Starting…'
            : 'Enter sends, Shift Enter makes a new line. Tools ask before they change anything.'}
        </p>
      </form>
    </div>
  );
}

const idOf = ({ answerer, value }: ModelChoice): string => `${answerer} ${value}`;

async function start({ thinking, workspace, mode }: Choices, model: ModelChoice | undefined): Promise<void> {
  const sent = draftOf(DRAFT);
  const toolMode = TOOL_MODES.find((each) => each === mode);
  const body = {
    prompt: sent.text,
    ...(sent.images.length === 0 ? {} : { assets: sent.images.map(({ hash }) => hash) }),
    ...(workspace === '' ? {} : { workspacePath: workspace }),
    ...(model === undefined ? {} : { answerer: model.answerer, model: model.value }),
    ...(thinking === '' ? {} : { thinkingMode: thinking }),
    ...(toolMode === undefined ? {} : { toolMode }),
  };
  const { sessionId } = await server.startSession({ body });
  if (toolMode !== undefined) noteToolMode(sessionId, toolMode);
  takeSent(DRAFT, sent);
  go(sessionLink(sessionId));
}

interface SelectsProps {
  choices: Choices;
  onChange: (choices: Choices) => void;
  models: readonly ModelChoice[];
  model: ModelChoice | undefined;
}

function Selects({ choices, onChange, models, model }: SelectsProps) {
  const workspaces = useResource('workspaces', (signal) => server.listWorkspaces({ signal }));
  const select = (label: string, name: keyof Choices, options: readonly (readonly [value: string, text: string])[]) => (
    <select
      aria-label={label}
      class="button plain"
      value={choices[name]}
      onChange={(event) => {
        const rest = name === 'model' ? { thinking: '' } : {};
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
  return (
    <>
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
      {select('Directory', 'workspace', [
        ['', 'Where ollm was started'],
        ...(workspaces.value?.workspaces.map(({ path }) => [path, path] as const) ?? []),
      ])}
      {select('Mode', 'mode', [
        ['', 'Mode as configured'],
        ...TOOL_MODES.map((mode) => [mode, `${mode}: ${MODE_MEANING[mode]}`] as const),
      ])}
    </>
  );
}
