// Which model answers, and how long it may think: of this session, or of the next turn.
import { useState } from 'preact/hooks';
import { ask } from '../api/request.ts';
import type { ModelChoice, SentSessionRow } from '../api/types.ts';
import { modelName } from '../model/model-name.ts';
import { oneLine } from '../model/visible.ts';
import type { Attempt } from '../state/attempt.ts';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';

export interface Chosen {
  readonly model: ModelChoice | undefined;
  readonly thinking: string | undefined;
}

export function ModelMenus(props: {
  row: SentSessionRow | undefined;
  chosen: Chosen;
  onChoose: (chosen: Chosen) => void;
  attempt: Attempt;
}) {
  const { row, chosen, onChoose, attempt } = props;
  const { model, thinking } = chosen;
  const [models, setModels] = useState<readonly ModelChoice[]>([]);
  const name = model?.displayName
    ? oneLine(model.displayName)
    : modelName(model?.value ?? row?.model ?? 'as configured');
  const load = (): void => {
    if (models.length > 0) return;
    void attempt(async () => {
      setModels((await ask<{ models: readonly ModelChoice[] }>('/providers/ollm/models')).models);
    });
  };
  return (
    <>
      <span onPointerDown={load} onFocusIn={load}>
        <Menu
          label={`Model: ${name}`}
          class="plain"
          place="up"
          items={models.map((choice) => ({
            label: choice.displayName ? oneLine(choice.displayName) : modelName(choice.value),
            note: oneLine(choice.answerer),
            onPick: () => onChoose({ model: choice, thinking: undefined }),
          }))}
        >
          <span class="cut">{name}</span>
          <Icon name="down" />
        </Menu>
      </span>
      {model?.supportedThinkingModes?.length ? (
        <Menu
          label={`Thinking: ${thinking ?? 'as before'}`}
          class="plain"
          place="up"
          items={model.supportedThinkingModes.map((mode) => ({
            label: mode,
            onPick: () => onChoose({ model, thinking: mode }),
          }))}
        >
          <span>Thinking: {thinking ?? 'as before'}</span>
          <Icon name="down" />
        </Menu>
      ) : null}
    </>
  );
}
