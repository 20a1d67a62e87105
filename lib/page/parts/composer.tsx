// Where one types: text, images by paste and drop, the model, Send or Stop. A draft is kept until it is sent.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useConnection } from '../api/connection.ts';
import { server } from '../api/server.ts';
import type { Outline, SentSessionRow } from '../api/types.ts';
import { oneLine } from '../model/visible.ts';
import { go, onSubmit, sessionLink } from '../router.ts';
import type { WhoAnswers } from '../state/agents.ts';
import { type Attempt, useAttempt } from '../state/attempt.ts';
import { useCommands } from '../state/commands.ts';
import { changeDraft, draftOf, keepPrompt, takeSent, useDraft } from '../state/draft.ts';
import type { LiveState } from '../state/live.ts';
import { useIsComposer } from '../state/presence.ts';
import { type SentPrompt, sendPrompt } from '../state/sending.ts';
import { commandsFor, type SlashCommand, useChoice } from '../state/slash-commands.ts';
import { AttachButton, AttachedImages, attach } from './attached-images.tsx';
import { useDrop } from './drop.ts';
import { agentName, Icon } from './icon.tsx';
import { lazy } from './lazy.tsx';
import { ModeMenu } from './mode-menu.tsx';
import { type Chosen, ModelMenus, useModels } from './model-menus.tsx';
import { Problem } from './problem.tsx';
import { WindowMeter } from './window-meter.tsx';
import './composer.css';

const QueuedPrompts = lazy(async () => (await import('./queued-prompts.tsx')).QueuedPrompts);
const SlashList = lazy(async () => (await import('./slash-list.tsx')).SlashList);
const AgentMenus = lazy(async () => (await import('./agent-menus.tsx')).AgentMenus);

interface Props {
  address: string;
  row: SentSessionRow | undefined;
  live: LiveState;
  /** How full the window of the model is. */
  window_: Outline['window'] | undefined;
  answering: WhoAnswers;
  /** A different process writes the session. */
  isHeld: boolean;
  /** `isOther`: its events come from another place. */
  onChange: (isOther?: boolean) => void;
  onFind: () => void;
  /** A prompt is on its way: it is shown before the server has it. */
  onSend: (text: string) => SentPrompt;
}

export function Composer(props: Props) {
  const { address, row, live, window_, answering, isHeld, onChange, onFind, onSend } = props;
  useIsComposer();
  const { text, images, instead } = useDraft(address);
  const { attempt, problem } = useAttempt();
  const [chosen, setChosen] = useState<Chosen>({ model: undefined, thinking: undefined });
  const box = useRef<HTMLTextAreaElement>(null);
  const isConnected = useConnection().state === 'connected';
  const models = useModels(attempt);
  const agent = answering.isByAgent ? answering.agent?.id : undefined;
  const send = useSend(address, live, { chosen, agent, isConnected, attempt, onSend, onChange });
  const commandsOf = useCommandsOf(text);
  const slash = useSlash(address, text, commandsOf?.({ address, agent, attempt, onChange, onFind }));
  useCommands([{ keys: 'c', title: 'To the composer', run: () => box.current?.focus(), isKeyOnly: true }]);
  // A prompt that is taken up to be changed is typed on at its end.
  const isShown = useRef(false);
  useEffect(() => {
    if (isShown.current && instead !== undefined) {
      box.current?.focus();
      box.current?.setSelectionRange(text.length, text.length);
    }
    isShown.current = true;
  }, [instead?.seq]);
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
    <form aria-label="Composer" onSubmit={onSubmit(send)} {...drop.handlers}>
      {live.queue.length === 0 ? null : (
        <QueuedPrompts address={address} queue={live.queue} attempt={attempt} onEdit={() => box.current?.focus()} />
      )}
      <Problem text={problem ?? live.problem} />
      {instead === undefined ? null : (
        <p class="queued">
          <Icon name="pen" />
          <span>Instead of:</span>
          <span class="cut grow">{oneLine(instead.text)}</span>
          <button type="button" class="copy" onClick={() => keepPrompt(address)}>
            Cancel
          </button>
        </p>
      )}
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
          placeholder={placeholderOf({ address, agent, live, isHeld })}
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
          {answering.agent === undefined ? null : (
            <AgentMenus
              agent={answering.agent.id}
              answering={answering}
              address={address}
              attempt={attempt}
              onChange={onChange}
            />
          )}
          {agent === undefined ? <ModelMenus row={row} chosen={chosen} onChoose={setChosen} models={models} /> : null}
          {address.includes(':') ? null : <ModeMenu address={address} />}
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

function placeholderOf({
  address,
  agent,
  live,
  isHeld,
}: Pick<Props, 'address' | 'live' | 'isHeld'> & { agent: string | undefined }): string {
  if (isHeld) return 'It is written elsewhere';
  if (live.questions.some(({ call }) => call)) return 'Deny, and say what to do instead';
  if (live.activity !== undefined) return 'Your next message, for after this turn';
  if (agent !== undefined) return `Ask ${agentName(agent)}, or say what to do next`;
  return address.includes(':') ? 'Continue in a journal of your own' : 'Ask, or say what to do next';
}

/** Sends the draft: as an answer to the call that is asked about, else as a turn. */
function useSend(
  address: string,
  live: LiveState,
  options: Pick<Props, 'onSend' | 'onChange'> & {
    chosen: Chosen;
    agent: string | undefined;
    isConnected: boolean;
    attempt: Attempt;
  },
): () => Promise<void> {
  const { chosen, agent, isConnected, attempt, onSend, onChange } = options;
  const { model, thinking } = chosen;
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
          const body = { decision: 'no' as const, hash: question.hash, words: sent.text };
          await server.answerQuestion({ parameters: { id: address, questionId: question.id }, body });
          takeSent(address, sent);
          return;
        }
        const body = {
          prompt: sent.text,
          ...(sent.images.length === 0 ? {} : { assets: sent.images.map(({ hash }) => hash) }),
        };
        const turn = {
          ...(model === undefined ? {} : { answerer: model.answerer, model: model.value }),
          ...(thinking === undefined ? {} : { thinkingMode: thinking }),
          ...(sent.instead === undefined ? {} : { insteadOf: sent.instead.seq }),
        };
        const taken = await sendPrompt(address, onSend, agent === undefined ? { ...body, ...turn } : body, agent);
        takeSent(address, sent);
        // From here on the session is its journal here.
        if (agent !== undefined && !live.isLed) onChange(true);
        if (taken.sessionId !== address) go(sessionLink(taken.sessionId));
      } finally {
        isSending.current = false;
      }
    });
}

type CommandsOf = typeof import('./composer-commands.ts').commandsOf;

/** The part of the commands, which is loaded for the first slash. */
function useCommandsOf(text: string): CommandsOf | undefined {
  const [commandsOf, setCommandsOf] = useState<CommandsOf>();
  const isWanted = text.startsWith('/');
  useEffect(() => {
    if (isWanted) void import('./composer-commands.ts').then((part) => setCommandsOf(() => part.commandsOf));
  }, [isWanted]);
  return commandsOf;
}

/** The commands that the text may mean, and the keys that choose one of them. `commands`: undefined until they load. */
function useSlash(address: string, text: string, commands: readonly SlashCommand[] | undefined) {
  const [isClosed, setIsClosed] = useState(false);
  const isSlash = !isClosed && text.startsWith('/');
  const offered = isSlash && commands !== undefined ? commandsFor(text, commands) : undefined;
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
      // A command is not sent as a text because its part is late.
      if (isSlash && commands === undefined) return event.key === 'Enter' && /^\/[a-z]*$/.test(text);
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
      await server.stopTurn({ parameters: { id: address } });
    });
  useCommands([{ keys: 'Ctrl .', title: 'Stop', run: () => void stop(), isKeyOnly: true }]);
  return (
    <button type="button" class="button main stop" disabled={stopping !== undefined} onClick={() => void stop()}>
      <Icon name="stop" />
      {stopping === undefined ? 'Stop' : stopping === 'asked' ? 'Stopping…' : 'Ending its programs…'}
    </button>
  );
}
