// The blocks of a conversation, each with the number of its event in the gutter.
import type { ComponentChildren } from 'preact';
import type { Part } from '../../messages/index.ts';
import { type ShownBlock, textOf } from '../model/blocks.ts';
import { lineOf } from '../model/line-of-block.ts';
import { bytes, duration, exactTime, momentOf, money, plural, wordsIn } from '../model/numbers.ts';
import { oneLine, visible } from '../model/visible.ts';
import { type Unfolded, useUnfolded } from '../state/unfolded.ts';
import type { BlockContext } from './block-context.ts';
import { CallStack } from './call-card.tsx';
import { Compaction } from './compaction.tsx';
import { Icon, type IconName } from './icon.tsx';
import { BlobImage } from './images.tsx';
import { lazy } from './lazy.tsx';
import { Menu } from './menu.tsx';
import { PlanCard } from './plan-card.tsx';
import { Prose } from './prose.tsx';
import { PromptActions, TurnEnd } from './turn-actions.tsx';
import './event-blocks.css';

const Damage = lazy(async () => (await import('./damage.tsx')).Damage);

export function EventBlock({ block, context }: { block: ShownBlock; context: BlockContext }) {
  switch (block.kind) {
    case 'turn':
      return <TurnLine block={block} />;
    case 'prompt':
      return (
        <Numbered block={block} context={context} label={`You, event ${block.seq}`}>
          <Prompt block={block} />
          <PromptActions block={block} context={context} />
        </Numbered>
      );
    case 'added':
      return (
        <Numbered block={block} context={context} label={`${block.title}, event ${block.seq}`}>
          <Folded
            icon="file"
            title={`${block.title}, ${bytes(textOf(block.parts).length)}`}
            text={textOf(block.parts)}
            id={`added-${block.seq}`}
            unfolded={context.unfolded}
          />
        </Numbered>
      );
    case 'reply':
      return (
        <Numbered block={block} context={context} label={`${context.speaker}, event ${block.seq}`}>
          <h3 class="said-only">{context.speaker}</h3>
          <Reply parts={block.parts} seq={block.seq} unfolded={context.unfolded} />
          {block.finish === 'length' ? <p class="meta">The answer was cut off at its longest.</p> : null}
          {block.finish === 'content-filter' ? <p class="meta">The provider held back the rest.</p> : null}
          {block.finish === 'cancelled' ? <p class="meta">Stopped here.</p> : null}
          {block.finish === 'failed' ? <p class="meta">It broke off here.</p> : null}
        </Numbered>
      );
    case 'calls':
      return (
        <Numbered block={block} context={context} label={`${plural(block.calls.length, 'call')}, event ${block.seq}`}>
          <CallStack calls={block.calls} unfolded={context.unfolded} target={context.target} />
        </Numbered>
      );
    case 'plan':
      return (
        <Numbered block={block} context={context} label={`Plan, event ${block.seq}`}>
          <PlanCard calls={block.calls} unfolded={context.unfolded} />
        </Numbered>
      );
    case 'compaction':
      return (
        <Numbered block={block} context={context} label={`Compacted, event ${block.seq}`}>
          <Compaction block={block} address={context.address} unfolded={context.unfolded} onJump={context.onJump} />
        </Numbered>
      );
    case 'undone':
      return <Undone block={block} context={context} />;
    case 'damage':
      return <Damage place={block.place} address={context.address} />;
    case 'end':
      return (
        <Numbered block={block} context={context} label={`${lineOf(block)}, event ${block.seq}`}>
          <TurnEnd block={block} context={context} />
        </Numbered>
      );
    case 'fact':
      return (
        <Numbered block={block} context={context} label={`${block.text}, event ${block.seq}`}>
          <p class={`fact ${block.tone}`}>{oneLine(block.text)}</p>
        </Numbered>
      );
  }
}

function Numbered(props: { block: ShownBlock; context: BlockContext; label: string; children: ComponentChildren }) {
  const { block, context, label, children } = props;
  const isTarget = context.target === block.seq;
  return (
    <article
      class={`event ${block.kind}`}
      id={`event-${block.seq}`}
      data-seq={block.seq}
      data-kind={block.kind}
      aria-label={label}
      aria-posinset={block.seq + 1}
      aria-setsize={context.events}
    >
      <a
        class={`gutter${isTarget ? ' target' : ''}`}
        data-number={isTarget ? 'target' : ''}
        href={`#${block.seq}`}
        title={exactTime(new Date(block.ts ?? ''))}
      >
        {block.seq}
      </a>
      {isTarget ? (
        <Menu label={`Event ${block.seq}`} class="plain square" align="left" items={context.actionsAt(block.seq)}>
          <Icon name="more" />
        </Menu>
      ) : null}
      <div class="content">{children}</div>
    </article>
  );
}

function TurnLine({ block }: { block: Extract<ShownBlock, { kind: 'turn' }> }) {
  const time = new Date(block.ts ?? '');
  const facts = [
    ...[momentOf(time, new Date())].filter(Boolean),
    ...(block.end?.durationMs === undefined ? [] : [duration(block.end.durationMs)]),
    ...(block.requests > 1 ? [plural(block.requests, 'request')] : []),
    ...(block.cost === undefined ? [] : [money(block.cost)]),
  ];
  return (
    <div class="turn-line" id={`event-${block.seq}`} data-seq={block.seq}>
      <b>Turn {block.turn}</b>
      <time dateTime={block.ts} title={exactTime(time)}>
        {facts.join('  ')}
      </time>
    </div>
  );
}

function Prompt({ block }: { block: Extract<ShownBlock, { kind: 'prompt' }> }) {
  const text = textOf(block.parts);
  return (
    <div class="prompt-box">
      <h2 class="said-only">You</h2>
      {block.author === undefined ? null : <span class="prompt-author">{oneLine(block.author)}</span>}
      <p class="prompt-text" dir="auto">
        {visible(text)}
      </p>
      <Attachments parts={block.parts} />
    </div>
  );
}

function Attachments({ parts }: { parts: readonly Part[] }) {
  return (
    <>
      {parts.map((part, index) =>
        part.type === 'image' ? (
          <BlobImage key={index} part={part} />
        ) : part.type === 'file' ? (
          <p key={index} class="meta">
            <Icon name="file" /> {oneLine(part.name)}
          </p>
        ) : null,
      )}
    </>
  );
}

function Reply({ parts, seq, unfolded }: { parts: readonly Part[]; seq: number; unfolded: Unfolded }) {
  return (
    <>
      {parts.map((part, index) =>
        part.type === 'text' ? (
          <Prose key={index} text={part.text} />
        ) : part.type === 'reasoning' ? (
          <Reasoning
            key={index}
            text={part.text}
            provider={part.provider}
            id={`reasoning-${seq}-${index}`}
            unfolded={unfolded}
          />
        ) : null,
      )}
      <Attachments parts={parts} />
    </>
  );
}

function Reasoning(props: { text: string | undefined; provider: string | undefined; id: string; unfolded: Unfolded }) {
  const { text, provider, id, unfolded } = props;
  if (text === undefined || text.trim() === '')
    return <p class="reasoning-line meta">Reasoning, kept for {oneLine(provider ?? 'its provider')} only</p>;
  return (
    <Folded
      icon="reasoning"
      title={`Reasoning, ${plural(wordsIn(text), 'word')}`}
      text={text}
      id={id}
      unfolded={unfolded}
    />
  );
}

/** A line that opens to a text. */
function Folded(props: { icon: IconName; title: string; text: string; id: string; unfolded: Unfolded }) {
  const { icon, title, text, id, unfolded } = props;
  const [isOpen, toggle] = useUnfolded(unfolded, id, false);
  return (
    <div class="reasoning">
      <button type="button" class="reasoning-line" aria-expanded={isOpen} onClick={toggle}>
        <Icon name={icon} />
        {title}
        <Icon name={isOpen ? 'down' : 'chevron'} />
      </button>
      {isOpen ? (
        <div class="reasoning-text">
          <Prose text={text} />
        </div>
      ) : null}
    </div>
  );
}

function Undone({ block, context }: { block: Extract<ShownBlock, { kind: 'undone' }>; context: BlockContext }) {
  const [isOpen, toggle] = useUnfolded(context.unfolded, `undone-${block.seq}`, false);
  const prompt = block.blocks.find((each) => each.kind === 'prompt');
  const words = prompt?.kind === 'prompt' ? oneLine(textOf(prompt.parts)).slice(0, 80) : 'Undone';
  return (
    <article class="undone" id={`event-${block.seq}`} data-seq={block.seq} aria-label={`Undone: ${words}`}>
      <button type="button" class="compaction-line" aria-expanded={isOpen} onClick={toggle}>
        <Icon name={isOpen ? 'down' : 'chevron'} />
        <b>Undone</b>
        <s class="cut">{words}</s>
        <span class="meta">{plural(block.last - block.seq + 1, 'event')}</span>
      </button>
      {isOpen ? (
        <div class="undone-body">
          <p class="meta undone-head">
            <span class="grow">The model no longer sees this.</span>
            {context.onReturn === undefined ? null : (
              <button type="button" class="button" onClick={() => context.onReturn?.(block.to)}>
                Go back to this
              </button>
            )}
          </p>
          {block.blocks.map((each) => (
            <EventBlock key={`${each.kind}-${each.seq}`} block={each} context={{ ...context, turns: undefined }} />
          ))}
        </div>
      ) : null}
    </article>
  );
}
