import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface Lazy {
  /** Loads the part before it is shown: then it is there with its first drawing. */
  readonly preload: () => Promise<unknown>;
}

/** A component whose part of the program is loaded when it is first shown. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> & Lazy {
  let loaded: ComponentType<Props> | undefined;
  const preload = async () => {
    loaded ??= await load();
    return loaded;
  };
  function Lazy(props: Props) {
    const [Part, setPart] = useState<ComponentType<Props> | undefined>(() => loaded);
    useEffect(() => {
      if (!loaded) void preload().then((part) => setPart(() => part));
    }, []);
    return Part ? <Part {...props} /> : null;
  }
  return Object.assign(Lazy, { preload });
}
