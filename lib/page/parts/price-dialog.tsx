// What a model costs, for one without a known price.
import { useEffect, useRef, useState } from 'preact/hooks';
import { server } from '../api/server.ts';
import { modelName } from '../model/short-names.ts';
import { useAttempt } from '../state/attempt.ts';
import { Problem } from './problem.tsx';
import './key-help.css';

const FIELDS = [
  ['input', 'Input'],
  ['output', 'Output'],
  ['cachedInput', 'Input from a cache, if it costs less'],
] as const;
type Field = (typeof FIELDS)[number][0];

/** `onClose(true)`: it was set. */
export function PriceDialog({ model, onClose }: { model: string; onClose: (isSet: boolean) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isSet = useRef(false);
  const [values, setValues] = useState<Readonly<Record<Field, string>>>({ input: '', output: '', cachedInput: '' });
  const { attempt, problem } = useAttempt();
  useEffect(() => dialog.current?.showModal(), []);
  const send = () =>
    attempt(async () => {
      const given = FIELDS.flatMap(([name]) => (values[name] === '' ? [] : [[name, Number(values[name])] as const]));
      await server.setPrice({ body: { model, input: 0, output: 0, ...Object.fromEntries(given) } });
      isSet.current = true;
      dialog.current?.close();
    });
  return (
    <dialog ref={dialog} class="key-help" aria-labelledby="price-title" onClose={() => onClose(isSet.current)}>
      <h2 id="price-title" class="section-title">
        Price of {modelName(model)}
      </h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <p class="meta">US dollars for a million tokens. 0 for a model of your own machine.</p>
        {FIELDS.map(([name, label]) => (
          <label key={name} class="field">
            <span>{label}</span>
            <input
              type="number"
              min="0"
              step="any"
              inputMode="decimal"
              required={name !== 'cachedInput'}
              value={values[name]}
              onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
            />
          </label>
        ))}
        <Problem text={problem} />
        <p class="answers">
          <button type="submit" class="button main">
            Set price
          </button>
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </p>
      </form>
    </dialog>
  );
}
