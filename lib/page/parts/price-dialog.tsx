// What a model costs, for one without a known price.
import { useRef, useState } from 'preact/hooks';
import { server } from '../api/server.ts';
import { modelName } from '../model/short-names.ts';
import { onSubmit } from '../router.ts';
import { useAttempt } from '../state/attempt.ts';
import { Dialog } from './dialog.tsx';
import { Problem } from './problem.tsx';

const FIELDS = [
  ['input', 'Input'],
  ['output', 'Output'],
  ['cachedInput', 'Input from a cache, if it costs less'],
] as const;
type Field = (typeof FIELDS)[number][0];

/** `onClose(true)`: it was set. */
export function PriceDialog({ model, onClose }: { model: string; onClose: (isSet: boolean) => void }) {
  const isSet = useRef(false);
  const [values, setValues] = useState<Readonly<Record<Field, string>>>({ input: '', output: '', cachedInput: '' });
  const { attempt, problem } = useAttempt();
  const send = (close: () => void) =>
    attempt(async () => {
      const given = FIELDS.flatMap(([name]) => (values[name] === '' ? [] : [[name, Number(values[name])] as const]));
      await server.setPrice({ body: { model, input: 0, output: 0, ...Object.fromEntries(given) } });
      isSet.current = true;
      close();
    });
  return (
    <Dialog title={`Price of ${modelName(model)}`} onClose={() => onClose(isSet.current)}>
      {(close) => (
        <form onSubmit={onSubmit(() => send(close))}>
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
            <button type="button" class="button" onClick={close}>
              Cancel
            </button>
          </p>
        </form>
      )}
    </Dialog>
  );
}
