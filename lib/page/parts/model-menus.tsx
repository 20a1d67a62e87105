// Which model answers, and how long it may think: of this session, or of the next turn.
import { useState } from 'preact/hooks';
import { server } from '../api/server.ts';
import type { ModelChoice, SentSessionRow } from '../api/types.ts';
import { modelName } from '../model/short-names.ts';
import { oneLine } from '../model/visible.ts';
import type { Attempt } from '../state/attempt.ts';
import { type MenuItem, PickMenu } from './menu.tsx';

export interface Chosen {
  readonly model: ModelChoice | undefined;
  readonly thinking: string | undefined;
}

export interface Models {
  /** Undefined until they are there. */
  readonly all: readonly ModelChoice[] | undefined;
  /** Fetches them once, when the user is about to choose. */
  readonly load: () => void;
}

export function useModels(attempt: Attempt, provider = 'ollm'): Models {
  const [all, setAll] = useState<readonly ModelChoice[]>();
  const load = (): void => {
    // A provider without models may have some by now.
    if (!all?.length) void attempt(async () => setAll((await server.listModels({ parameters: { provider } })).models));
  };
  return { all, load };
}

/** The models as a menu has them. */
export function modelItems({ all }: Models, onPick: (model: ModelChoice) => void): readonly MenuItem[] {
  return (all ?? []).map((choice) => ({
    label: nameOf(choice),
    note: oneLine(choice.answerer),
    onPick: () => onPick(choice),
  }));
}

function nameOf({ displayName, value }: ModelChoice): string {
  return displayName ? oneLine(displayName) : modelName(value);
}

export function ModelMenus(props: {
  row: SentSessionRow | undefined;
  chosen: Chosen;
  onChoose: (chosen: Chosen) => void;
  models: Models;
}) {
  const { row, chosen, onChoose, models } = props;
  const { model, thinking } = chosen;
  const name = model ? nameOf(model) : modelName(row?.model ?? 'as configured');
  return (
    <>
      <PickMenu
        label={`Model: ${name}`}
        onWish={models.load}
        items={modelItems(models, (choice) => onChoose({ model: choice, thinking: undefined }))}
      >
        {name}
      </PickMenu>
      {model?.supportedThinkingModes?.length ? (
        <PickMenu
          label={`Thinking: ${thinking ?? 'as before'}`}
          items={model.supportedThinkingModes.map((mode) => ({
            label: mode,
            onPick: () => onChoose({ model, thinking: mode }),
          }))}
        >
          Thinking: {thinking ?? 'as before'}
        </PickMenu>
      ) : null}
    </>
  );
}
