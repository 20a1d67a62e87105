// Where one types: text, images by paste and drop, the model, Send or Stop. A draft is kept until it is sent.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useConnection } from '../api/connection.ts';
import { ask, RequestFailed, sessionPath } from '../api/request.ts';
import type { Asset, ModelChoice, SessionRow } from '../api/types.ts';
import { oneLine } from '../model/visible.ts';
import { go, sessionLink } from '../router.ts';
import type { LiveState } from '../state/live.ts';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';

/** The draft of a session in this browser. */
export function useDraft(key: string): [string, (text: string) => void] {
  const name = `draft ${key}`;
  const [text, setText] = useState(() => localStorage.getItem(name) ?? '');
  return [
    text,
    (next) => {
      setText(next);
      if (next === '') localStorage.removeItem(name);
      else localStorage.setItem(name, next);
    },
  ];
}

export function Composer({ address, row, live }: { address: string; row: SessionRow | undefined; live: LiveState }) {
  const [text, setText] = useDraft(address);
  const [images, setImages] = useState<readonly Asset[]>([]);
  const [problem, setProblem] = useState<string>();
  const [isStopping, setIsStopping] = useState(false);
  const [models, setModels] = useState<readonly ModelChoice[]>([]);
  const [model, setModel] = useState<ModelChoice>();
  const [thinking, setThinking] = useState<string>();
  const box = useRef<HTMLTextAreaElement>(null);
  const modelName = oneLine(model?.displayName ?? model?.value ?? row?.model ?? 'as configured');
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
      if (text.trim() === '' || !isConnected) return;
      const body = {
        prompt: text,
        ...(images.length === 0 ? {} : { imagePaths: images.map(({ absolutePath }) => absolutePath) }),
        ...(model === undefined ? {} : { answerer: model.answerer, model: model.value }),
        ...(thinking === undefined ? {} : { thinkingMode: thinking }),
      };
      const taken = await ask<{ sessionId: string }>(sessionPath(address, '/turns'), { method: 'POST', body });
      setText('');
      setImages([]);
      if (taken.sessionId !== address) go(sessionLink(taken.sessionId));
    });
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
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
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
                setText(prompt.text);
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
      <div class="composer">
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
          value={text}
          aria-label="Message"
          placeholder={
            runs
              ? 'Say something for after this turn'
              : isForeign
                ? 'Continue in a journal of your own'
                : 'Say something'
          }
          onInput={(event) => setText(event.currentTarget.value)}
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
          <span class="meter" />
          {runs ? (
            <button type="button" class="button main" disabled={isStopping} onClick={() => void stop()}>
              <Icon name="stop" />
              {isStopping ? 'Stopping…' : 'Stop'}
            </button>
          ) : (
            <button
              type="submit"
              class="button main round"
              disabled={text.trim() === '' || !isConnected}
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
