// Values that belong to no component, and change.
import { useEffect, useState } from 'preact/hooks';

/** Tells the components that show the value of this name. */
export function tellChanged(name: string): void {
  dispatchEvent(new Event(name));
}

/** Reads such a value now and after each change. `of`: what else it depends on. */
export function useChanging<Value>(name: string, read: () => Value, of: readonly unknown[] = []): Value {
  const [value, setValue] = useState(read);
  useEffect(() => {
    const update = (): void => setValue(read);
    update();
    addEventListener(name, update);
    return () => removeEventListener(name, update);
  }, of);
  return value;
}
