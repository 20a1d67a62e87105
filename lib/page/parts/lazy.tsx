import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** A component whose part of the program is loaded when it is first shown. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [Part, setPart] = useState<ComponentType<Props> | undefined>(() => loaded);
    useEffect(() => {
      if (!loaded)
        void load().then((part) => {
          loaded = part;
          setPart(() => part);
        });
    }, []);
    return Part ? <Part {...props} /> : null;
  };
}
