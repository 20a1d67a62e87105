import './choice.css';

export interface ChoiceProps<Value> {
  readonly label: string;
  readonly options: readonly (readonly [name: string, value: Value])[];
  readonly value: Value;
  readonly onPick: (value: Value) => void;
}

/** Buttons next to each other, of which one is pressed. */
export function Choice<Value>({ label, options, value, onPick }: ChoiceProps<Value>) {
  return (
    <fieldset class="choice" aria-label={label}>
      {options.map(([name, each]) => (
        <button key={name} type="button" aria-pressed={each === value} onClick={() => onPick(each)}>
          {name}
        </button>
      ))}
    </fieldset>
  );
}
