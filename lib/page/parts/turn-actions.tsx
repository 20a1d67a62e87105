// What can be done with a prompt and with an answer: copy it, say it in another way, ask again, continue, and go from
// one version to the other.
import { useState } from 'preact/hooks';
import { server } from '../api/server.ts';
import type { Outline } from '../api/types.ts';
import { type ShownBlock, textOf } from '../model/blocks.ts';
import { canGoOn, endingOf, GO_ON } from '../model/ending.ts';
import { oneLine } from '../model/visible.ts';
import { announce } from '../state/announce.ts';
import type { Attempt } from '../state/attempt.ts';
import { replacePrompt } from '../state/draft.ts';
import { type SentPrompt, sendPrompt } from '../state/sending.ts';
import type { BlockContext, PromptBlock, TurnActions, Version } from './block-context.ts';
import { copied } from './copy-button.tsx';
import { Icon, type IconName } from './icon.tsx';
import { lazy } from './lazy.tsx';
import { Menu } from './menu.tsx';
import { modelItems, useModels } from './model-menus.tsx';
import './turn-actions.css';

const SetKey = lazy(async () => (await import('./set-key.tsx')).SetKey);

type EndBlock = Extract<ShownBlock, { kind: 'end' }>;

export function useTurns(
  address: string,
  options: {
    readonly isIdle: boolean;
    readonly outline: Outline | undefined;
    readonly attempt: Attempt;
    readonly onSend: (text: string) => SentPrompt;
    readonly onChange: () => void;
    readonly onJump: (seq: number) => void;
  },
): TurnActions {
  const { isIdle, outline, attempt, onSend, onChange, onJump } = options;
  const models = useModels(attempt);
  const versions = outline?.versions ?? [];
  return {
    isIdle,
    models,
    again: (insteadOf, model) =>
      void attempt(async () => {
        const chosen = model === undefined ? {} : { answerer: model.answerer, model: model.value };
        await sendPrompt(address, onSend, { insteadOf, ...chosen });
        onChange();
      }),
    goOn: () =>
      void attempt(async () => {
        await sendPrompt(address, onSend, { prompt: GO_ON });
      }),
    edit({ seq, parts }) {
      const images = parts.flatMap((part) =>
        part.type === 'image' ? [{ hash: part.blob, originalName: 'An image of the prompt' }] : [],
      );
      replacePrompt(address, { seq, text: textOf(parts), images });
    },
    versionsOf: (seq) => versions.find((each) => each.some((version) => version.seq === seq)) ?? [],
    show: ({ seq, last }) =>
      void attempt(async () => {
        await server.returnToBranch({ parameters: { id: address }, body: { seq: last } });
        onChange();
        onJump(seq);
      }),
  };
}

export function PromptActions({ block, context }: { block: PromptBlock; context: BlockContext }) {
  const { turns } = context;
  const versions = turns?.versionsOf(block.seq) ?? [];
  const isEdited = block.isFirst && turns !== undefined;
  return (
    <div class={`event-actions of-prompt${versions.length > 1 ? ' has-versions' : ''}`}>
      {turns && versions.length > 1 ? <Versions versions={versions} seq={block.seq} turns={turns} /> : null}
      <CopyAction label="Copy prompt" text={() => textOf(block.parts)} />
      {isEdited ? (
        <Action icon="pen" label="Edit prompt" isDisabled={!turns.isIdle} onClick={() => turns.edit(block)} />
      ) : null}
      <More seq={block.seq} context={context} />
    </div>
  );
}

function Versions({ versions, seq, turns }: { versions: readonly Version[]; seq: number; turns: TurnActions }) {
  const at = versions.findIndex((each) => each.seq === seq);
  const step = (by: 1 | -1) => {
    const other = versions[at + by];
    const label = by > 0 ? 'Next version' : 'Previous version';
    return (
      <Action
        icon={by > 0 ? 'chevron' : 'back'}
        label={label}
        isDisabled={other === undefined || !turns.isIdle}
        onClick={() => other && turns.show(other)}
      />
    );
  };
  return (
    <span class="versions" role="group" aria-label={`Version ${at + 1} of ${versions.length}`}>
      {step(-1)}
      <span class="meta">
        {at + 1} / {versions.length}
      </span>
      {step(1)}
    </span>
  );
}

/** How a turn ended, where it did not end by itself, and what can be done then. */
export function TurnEnd({ block, context }: { block: EndBlock; context: BlockContext }) {
  const { turns } = context;
  const ending = endingOf(block);
  const isLast = context.lastEnd === block.seq;
  return (
    <>
      {ending === undefined ? null : <p class={`fact ${ending.tone}`}>{oneLine(ending.text)}</p>}
      {ending !== undefined && isLast && turns !== undefined ? (
        <p class="answers">
          <button type="button" class="button" disabled={!turns.isIdle} onClick={() => turns.again(block.seq)}>
            Try again
          </button>
          {canGoOn(block) ? (
            <button type="button" class="button" disabled={!turns.isIdle} onClick={turns.goOn}>
              Go on
            </button>
          ) : null}
        </p>
      ) : null}
      {block.data.error?.code === 'PROVIDER_KEY' && turns !== undefined ? (
        <SetKey provider={block.data.error.provider} />
      ) : null}
      <div class={`event-actions of-answer${isLast ? ' last' : ''}`}>
        {block.answer === undefined ? null : <CopyAnswer text={textOf(block.answer)} />}
        {turns === undefined ? null : (
          <>
            {ending !== undefined && isLast ? null : (
              <Action
                icon="again"
                label="Try again"
                isDisabled={!turns.isIdle}
                onClick={() => turns.again(block.seq)}
              />
            )}
            <Menu
              label="Try again with another model"
              class="plain act"
              align="left"
              isDisabled={!turns.isIdle}
              onWish={turns.models.load}
              items={modelItems(turns.models, (model) => turns.again(block.seq, model))}
            >
              <Icon name="down" />
            </Menu>
          </>
        )}
        <More seq={block.seq} context={context} />
      </div>
    </>
  );
}

/** What can be done at every event; its number leads to the same where there is room for numbers. */
function More({ seq, context }: { seq: number; context: BlockContext }) {
  return (
    <Menu label="Link, as it was, fork" class="plain act" align="left" items={context.actionsAt(seq)}>
      <Icon name="more" />
    </Menu>
  );
}

function Action(props: { icon: IconName; label: string; isDisabled?: boolean; onClick: () => void }) {
  const { icon, label, isDisabled = false, onClick } = props;
  return (
    <button
      type="button"
      class="button plain act"
      aria-label={label}
      title={label}
      disabled={isDisabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

const SAID_MS = 2000;

/** Copies, and shows for a while that it did. */
function useCopy(): readonly [icon: IconName, copy: (text: string) => void] {
  const [icon, setIcon] = useState<IconName>('copy');
  const copy = async (text: string): Promise<void> => {
    const isCopied = await copied(text);
    setIcon(isCopied ? 'check' : 'cross');
    announce(isCopied ? 'Copied.' : 'The browser does not let it be copied.', 'copy');
    setTimeout(() => setIcon('copy'), SAID_MS);
  };
  return [icon, (text) => void copy(text)];
}

function CopyAction({ label, text }: { label: string; text: () => string }) {
  const [icon, copy] = useCopy();
  return <Action icon={icon} label={label} onClick={() => copy(text())} />;
}

/** The part of the program that knows Markdown without its marks is loaded for the first copy. */
async function copyPlain(text: string, copy: (text: string) => void): Promise<void> {
  copy((await import('../model/plain-text.ts')).plainText(text));
}

function CopyAnswer({ text }: { text: string }) {
  const [icon, copy] = useCopy();
  return (
    <Menu
      label="Copy answer"
      class="plain act"
      align="left"
      items={[
        { label: 'As text', onPick: () => void copyPlain(text, copy) },
        { label: 'As Markdown', onPick: () => copy(text) },
      ]}
    >
      <Icon name={icon} />
    </Menu>
  );
}
