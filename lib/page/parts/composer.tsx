// Where one types: text, images by paste and drop, the model, Send or Stop. A draft is kept until it is sent.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useConnection } from '../api/connection.ts';
import { ask, RequestFailed, sessionPath } from '../api/request.ts';
import type { Asset, ModelChoice, Outline, SessionRow } from '../api/types.ts';
import { oneLine } from '../model/visible.ts';
import { go, sessionLink } from '../router.ts';
import { changeDraft, draftOf, giveBack, takeSent, useDraft } from '../state/draft.ts';
import type { LiveState } from '../state/live.ts';
import { useIsComposer } from '../state/presence.ts';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';
import { commandsFor, type SlashCommand, SlashList, useChoice } from './slash-list.tsx';
import { WindowMeter } from './window-meter.tsx';

interface Props {
  address: string;
  row: SessionRow | undefined;
  live: LiveState;
  /** How full the window of the model is. */
  window_: Outline['window'] | undefined;
  /** Another program writes the session. */
  isHeld: boolean;
  onChange: () => void;
  onFind: () => void;
}

export function Composer({ address, row, live, window_, isHeld, onChange, onFind }: Props) {
  useIsComposer();
  const { text, images } = useDraft(address);
  const setText = (next: string): void => changeDraft(address, () => ({ text: next }));
  const setImages = (change: (old: readonly Asset[]) => readonly Asset[]): void =>
    changeDraft(address, (old) => ({ images: change(old.images) }));
  const isSending = useRef(false);
  const [problem, setProblem] = useState<string>();
  const [isStopping, setIsStopping] = useState(false);
  const [models, setModels] = useState<readonly ModelChoice[]>([]);
  const [model, setModel] = useState<ModelChoice>();
  const [isListClosed, setIsListClosed] = useState(false);
  const [isDraggedOver, setIsDraggedOver] = useState(false);
  const [thinking, setThinking] = useState<string>();
  const box = useRef<HTMLTextAreaElement>(null);
  const modelName = oneLine(model?.displayName || model?.value || row?.model || 'as configured');
  const isForeign = address.includes(':');
  const runs = live.activity !== undefined;
  const isConnected = useConnection().state === 'connected';
  useEffect(() => {
    if (!runs) setIsStopping(false);
  }, [runs]);

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      setProblem(undefined);
    } catch (error) {
      setProblem(error instanceof RequestFailed ? error.message : String(error));
    }
  };
  const send = (): Promise<void> =>
    attempt(async () => {
      const sent = draftOf(address);
      // The second of two keys in a row sends nothing twice.
      if (sent.text.trim() === '' || !isConnected || isSending.current) return;
      const body = {
        prompt: sent.text,
        ...(sent.images.length === 0 ? {} : { imagePaths: sent.images.map(({ absolutePath }) => absolutePath) }),
        ...(model === undefined ? {} : { answerer: model.answerer, model: model.value }),
        ...(thinking === undefined ? {} : { thinkingMode: thinking }),
      };
      isSending.current = true;
      try {
        const taken = await ask<{ sessionId: string }>(sessionPath(address, '/turns'), { method: 'POST', body });
        takeSent(address, sent);
        if (taken.sessionId !== address) go(sessionLink(taken.sessionId));
      } finally {
        isSending.current = false;
      }
    });
  const post = (rest: string, body: object = {}, method: 'POST' | 'PUT' = 'POST') =>
    attempt(async () => {
      await ask(sessionPath(address, rest), { method, body });
      onChange();
    });
  const commands: readonly SlashCommand[] = [
    ...(isForeign
      ? []
      : [
          { name: 'undo', does: 'Take back the last turn', run: () => void attempt(undo) },
          { name: 'compact', does: 'Make room in the window of the model', run: () => void post('/compact') },
          {
            name: 'title',
            takes: 'TEXT',
            does: 'Name this session',
            run: (rest: string) => void post('/rename', { summary: rest }, 'PUT'),
          },
        ]),
    { name: 'fork', does: 'Go on in a copy of this session', run: () => void attempt(fork) },
    { name: 'find', does: 'Find in this session', run: onFind },
    {
      name: 'search',
      takes: 'WORDS',
      does: 'Search all sessions',
      run: (rest) => go(`/search?q=${encodeURIComponent(rest)}`),
    },
    { name: 'cost', does: 'What this session cost', run: () => go(sessionLink(address, '?tab=cost')) },
    {
      name: 'export',
      does: 'Download it as Markdown',
      run: () => location.assign(`/api/llm${sessionPath(address, '/export')}?format=md`),
    },
  ];
  const undo = async (): Promise<void> => {
    const taken = await ask<{ text?: string }>(sessionPath(address, '/undo'), { method: 'POST', body: {} });
    giveBack(address, taken.text ?? '');
    onChange();
  };
  const fork = async (): Promise<void> => {
    const made = await ask<{ sessionId: string }>(sessionPath(address, '/fork'), { method: 'POST', body: {} });
    go(sessionLink(made.sessionId));
  };
  const offered = isListClosed ? undefined : commandsFor(text, commands);
  const choice = useChoice(offered);
  /** Runs the command that is chosen; one that needs more is only written out. */
  const pick = (command: SlashCommand | undefined): boolean => {
    if (command === undefined) return false;
    const rest = text.replace(/^\/\S*\s*/, '').trim();
    if (command.takes !== undefined && rest === '') {
      setText(`/${command.name} `);
      return true;
    }
    setText('');
    command.run(rest);
    return true;
  };
  const stop = (): Promise<void> =>
    attempt(async () => {
      setIsStopping(true);
      await ask(sessionPath(address, '/stop'), { method: 'POST', body: {} });
    });
  const upload = (files: readonly File[]): Promise<void> =>
    attempt(async () => {
      const kept = files.filter(({ type }) => /^image\/(png|jpeg|gif|webp)$/.test(type));
      const refused = files.find((file) => !kept.includes(file));
      if (refused) throw new Error(`${refused.name} is not a PNG, JPEG, GIF or WebP.`);
      const form = new FormData();
      for (const file of kept) form.append('images', file);
      const { images: stored } = await ask<{ images: readonly Asset[] }>('/assets/images', {
        method: 'POST',
        body: form,
      });
      setImages((old) => [...old, ...stored]);
    });
  const loadModels = async (): Promise<void> => {
    if (models.length === 0)
      await attempt(async () => {
        const { models: known } = await ask<{ models: readonly ModelChoice[] }>('/providers/ollm/models');
        setModels(known);
      });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (offered !== undefined && offered.length > 0 && !event.isComposing) {
      const step = ({ ArrowDown: 1, ArrowUp: -1 } as const)[event.key];
      const isPicked = event.key === 'Tab' || (event.key === 'Enter' && !event.shiftKey);
      if (step !== undefined) choice.step(step);
      else if (event.key === 'Escape') setIsListClosed(true);
      else if (!isPicked || !pick(offered[choice.at])) return;
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      void send();
    } else if (event.key === '.' && (event.ctrlKey || event.metaKey)) void stop();
  };
  const filesOf = (list: FileList | undefined | null): File[] => [...(list ?? [])];

  return (
    <form
      aria-label="Composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        setIsDraggedOver(true);
      }}
      onDragLeave={() => setIsDraggedOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsDraggedOver(false);
        void upload(filesOf(event.dataTransfer?.files));
      }}
    >
      {live.queue.map((prompt) => (
        <p key={prompt.promptId} class="queued">
          <Icon name="clock" />
          <span>After this turn:</span>
          <span class="cut grow">{oneLine(prompt.text)}</span>
          <button
            type="button"
            class="copy"
            onClick={() =>
              void attempt(async () => {
                await ask(sessionPath(address, `/queue/${prompt.promptId}`), { method: 'DELETE' });
                giveBack(address, prompt.text);
                box.current?.focus();
              })
            }
          >
            Edit
          </button>
        </p>
      ))}
      {problem === undefined && live.problem === undefined ? null : (
        <p class="queued" role="alert">
          <Icon name="alert" />
          {problem ?? live.problem}
        </p>
      )}
      {offered === undefined ? null : <SlashList offered={offered} at={choice.at} onPick={pick} />}
      <div class={`composer${isDraggedOver ? ' dragged-over' : ''}`}>
        {images.length === 0 ? null : (
          <div class="attached">
            {images.map((image) => (
              <span key={image.absolutePath} class="chip">
                <Icon name="image" />
                {oneLine(image.originalName)}
                <button
                  type="button"
                  class="copy"
                  aria-label={`Remove ${oneLine(image.originalName)}`}
                  onClick={() => setImages((old) => old.filter((each) => each !== image))}
                >
                  ×
                </button>
              </span>
            ))}
          </div>
        )}
        <textarea
          ref={box}
          id="composer"
          rows={1}
          dir="auto"
          value={text}
          aria-label="Message"
          placeholder={
            isHeld
              ? 'It is written elsewhere'
              : runs
                ? 'Say something for after this turn'
                : isForeign
                  ? 'Continue in a journal of your own'
                  : 'Say something'
          }
          disabled={isHeld}
          aria-autocomplete="list"
          aria-controls={offered?.length ? 'commands' : undefined}
          aria-activedescendant={offered?.[choice.at] && `command-${offered[choice.at]!.name}`}
          onInput={(event) => {
            setIsListClosed(false);
            setText(event.currentTarget.value);
          }}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            const files = filesOf(event.clipboardData?.files);
            if (files.length > 0) {
              event.preventDefault();
              void upload(files);
            }
          }}
        />
        <div class="composer-bar">
          <label class="button plain square" title="Attach images">
            <Icon name="attach" label="Attach images" />
            <input
              class="said-only"
              type="file"
              accept="image/png,image/jpeg,image/gif,image/webp"
              multiple
              onChange={(event) => void upload(filesOf(event.currentTarget.files))}
            />
          </label>
          <span onPointerDown={() => void loadModels()} onFocusIn={() => void loadModels()}>
            <Menu
              label={`Model: ${modelName}`}
              class="plain"
              place="up"
              items={models.map((choice) => ({
                label: choice.displayName ?? choice.value,
                note: choice.answerer,
                onPick: () => setModel(choice),
              }))}
            >
              <span class="cut">{modelName}</span>
              <Icon name="down" />
            </Menu>
          </span>
          {model?.supportedThinkingModes?.length ? (
            <Menu
              label={`Thinking: ${thinking ?? 'as before'}`}
              class="plain"
              place="up"
              items={model.supportedThinkingModes.map((mode) => ({ label: mode, onPick: () => setThinking(mode) }))}
            >
              <span>Thinking: {thinking ?? 'as before'}</span>
              <Icon name="down" />
            </Menu>
          ) : null}
          <WindowMeter used={window_?.tokens ?? 0} limit={window_?.limit} />
          {runs ? (
            <button type="button" class="button main" disabled={isStopping} onClick={() => void stop()}>
              <Icon name="stop" />
              {isStopping ? 'Stopping…' : 'Stop'}
            </button>
          ) : (
            <button
              type="submit"
              class="button main round"
              disabled={text.trim() === '' || !isConnected || isHeld}
              aria-label="Send"
            >
              <Icon name="send" />
            </button>
          )}
        </div>
      </div>
    </form>
  );
}
