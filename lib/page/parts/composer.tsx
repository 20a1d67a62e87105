// Where one types: text, images by paste and drop, the model, Send or Stop. A draft is kept until it is sent.

import { useEffect, useRef, useState } from 'preact/hooks';
import { useConnection } from '../api/connection.ts';
import { inAddress } from '../api/in-address.ts';
import { ask, sessionPath } from '../api/request.ts';
import type { Outline, SentSessionRow } from '../api/types.ts';
import { go, sessionLink } from '../router.ts';
import { type Attempt, useAttempt } from '../state/attempt.ts';
import { changeDraft, draftOf, takeSent, useDraft } from '../state/draft.ts';
import type { LiveState } from '../state/live.ts';
import { useIsComposer } from '../state/presence.ts';
import { AttachButton, AttachedImages, attach } from './attached-images.tsx';
import { commandsOf } from './composer-commands.ts';
import { Icon } from './icon.tsx';
import { type Chosen, ModelMenus } from './model-menus.tsx';
import { Problem } from './problem.tsx';
import { QueuedPrompts } from './queued-prompts.tsx';
import { commandsFor, type SlashCommand, SlashList, useChoice } from './slash-list.tsx';
import { WindowMeter } from './window-meter.tsx';

interface Props {
  address: string;
  row: SentSessionRow | undefined;
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
  const { attempt, problem } = useAttempt();
  const [chosen, setChosen] = useState<Chosen>({ model: undefined, thinking: undefined });
  const box = useRef<HTMLTextAreaElement>(null);
  const isConnected = useConnection().state === 'connected';
  const send = useSend(address, live, { chosen, isConnected, attempt });
  const slash = useSlash(address, text, () => commandsOf({ address, attempt, onChange, onFind }));
  const drop = useDrop((files) => attempt(() => attach(address, files)));
  const runs = live.activity !== undefined;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (slash.takesKey(event)) {
      event.preventDefault();
      event.stopPropagation();
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      void send();
    }
  };

  return (
    <form
      aria-label="Composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      {...drop.handlers}
    >
      <QueuedPrompts address={address} queue={live.queue} attempt={attempt} onEdit={() => box.current?.focus()} />
      <Problem text={problem ?? live.problem} />
      {slash.offered === undefined ? null : (
        <SlashList offered={slash.offered} at={slash.at} onPick={(command) => slash.pick(command)} />
      )}
      <div class={`composer${drop.isOver ? ' dragged-over' : ''}`}>
        <AttachedImages address={address} images={images} />
        <textarea
          ref={box}
          id="composer"
          rows={1}
          dir="auto"
          value={text}
          aria-label="Message"
          placeholder={placeholderOf({ address, live, isHeld })}
          disabled={isHeld}
          aria-autocomplete="list"
          aria-controls={slash.offered?.length ? 'commands' : undefined}
          aria-activedescendant={slash.offered?.[slash.at] && `command-${slash.offered[slash.at]!.name}`}
          onInput={(event) => {
            slash.open();
            changeDraft(address, () => ({ text: event.currentTarget.value }));
          }}
          onKeyDown={onKeyDown}
          onPaste={drop.onPaste}
        />
        <div class="composer-bar">
          <AttachButton onFiles={drop.take} />
          <ModelMenus row={row} chosen={chosen} onChoose={setChosen} attempt={attempt} />
          <WindowMeter used={window_?.tokens ?? 0} limit={window_?.limit} />
          {runs ? (
            <StopButton address={address} attempt={attempt} />
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

function placeholderOf({ address, live, isHeld }: { address: string; live: LiveState; isHeld: boolean }): string {
  if (isHeld) return 'It is written elsewhere';
  if (live.questions.some(({ call }) => call)) return 'Deny, and say what to do instead';
  if (live.activity !== undefined) return 'Say something for after this turn';
  return address.includes(':') ? 'Continue in a journal of your own' : 'Say something';
}

/** Sends the draft: as an answer to the call that is asked about, else as a turn. */
function useSend(
  address: string,
  live: LiveState,
  { chosen: { model, thinking }, isConnected, attempt }: { chosen: Chosen; isConnected: boolean; attempt: Attempt },
): () => Promise<void> {
  const isSending = useRef(false);
  return () =>
    attempt(async () => {
      const sent = draftOf(address);
      // The second of two keys in a row sends nothing twice.
      if (sent.text.trim() === '' || !isConnected || isSending.current) return;
      isSending.current = true;
      try {
        const question = live.questions.find(({ call }) => call);
        if (question && sent.images.length === 0) {
          const body = { decision: 'no', hash: question.hash, words: sent.text };
          await ask(sessionPath(address, `/questions/${inAddress(question.id)}`), { method: 'POST', body });
          takeSent(address, sent);
          return;
        }
        const body = {
          prompt: sent.text,
          ...(sent.images.length === 0 ? {} : { imagePaths: sent.images.map(({ absolutePath }) => absolutePath) }),
          ...(model === undefined ? {} : { answerer: model.answerer, model: model.value }),
          ...(thinking === undefined ? {} : { thinkingMode: thinking }),
        };
        const taken = await ask<{ sessionId: string }>(sessionPath(address, '/turns'), { method: 'POST', body });
        takeSent(address, sent);
        if (taken.sessionId !== address) go(sessionLink(taken.sessionId));
      } finally {
        isSending.current = false;
      }
    });
}

/** The commands that the text may mean, and the keys that choose one of them. */
function useSlash(address: string, text: string, commands: () => readonly SlashCommand[]) {
  const [isClosed, setIsClosed] = useState(false);
  const offered = isClosed || !text.startsWith('/') ? undefined : commandsFor(text, commands());
  const choice = useChoice(offered);
  /** Runs a command; one that needs more is only written out. */
  const pick = (command: SlashCommand | undefined): boolean => {
    if (command === undefined) return false;
    const rest = text.replace(/^\/\S*\s*/, '').trim();
    const isUnfinished = command.takes !== undefined && rest === '';
    changeDraft(address, () => ({ text: isUnfinished ? `/${command.name} ` : '' }));
    if (!isUnfinished) command.run(rest);
    return true;
  };
  return {
    offered,
    at: choice.at,
    pick,
    open: () => setIsClosed(false),
    /** Whether a key was meant for the list. */
    takesKey(event: KeyboardEvent): boolean {
      if (offered === undefined || offered.length === 0) return false;
      const step = ({ ArrowDown: 1, ArrowUp: -1 } as const)[event.key];
      const isPicked = event.key === 'Tab' || (event.key === 'Enter' && !event.shiftKey);
      if (step !== undefined) choice.step(step);
      else if (event.key === 'Escape') setIsClosed(true);
      else return isPicked && pick(offered[choice.at]);
      return true;
    },
  };
}

/** Files that are dropped or pasted. */
function useDrop(take: (files: readonly File[]) => Promise<void>) {
  const [isOver, setIsOver] = useState(false);
  const taken = (files: readonly File[]): void => void take(files);
  return {
    isOver,
    take: taken,
    handlers: {
      onDragOver(event: DragEvent) {
        event.preventDefault();
        setIsOver(true);
      },
      onDragLeave: () => setIsOver(false),
      onDrop(event: DragEvent) {
        event.preventDefault();
        setIsOver(false);
        taken([...(event.dataTransfer?.files ?? [])]);
      },
    },
    onPaste(event: ClipboardEvent) {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      taken(files);
    },
  };
}

/** A program that does not end by itself is ended after this. */
const STILL_STOPPING_MS = 5000;

/** It goes with the turn that it stops. */
function StopButton({ address, attempt }: { address: string; attempt: Attempt }) {
  const [stopping, setStopping] = useState<'asked' | 'long'>();
  useEffect(() => {
    if (stopping !== 'asked') return undefined;
    const timer = setTimeout(() => setStopping('long'), STILL_STOPPING_MS);
    return () => clearTimeout(timer);
  }, [stopping]);
  const stop = (): Promise<void> =>
    attempt(async () => {
      setStopping('asked');
      await ask(sessionPath(address, '/stop'), { method: 'POST', body: {} });
    });
  return (
    <button type="button" class="button main stop" disabled={stopping !== undefined} onClick={() => void stop()}>
      <Icon name="stop" />
      {stopping === undefined ? 'Stop' : stopping === 'asked' ? 'Stopping…' : 'Ending its programs…'}
    </button>
  );
}
