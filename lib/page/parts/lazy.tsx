import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface Lazy {
  /** Loads the part before it is shown: then it is there with its first drawing. */
  readonly preload: () => Promise<unknown>;
}

/** A view whose part of the program could not be loaded. */
export class MissingPart extends Error {}

/**
 * A component whose part of the program is loaded when it is first shown. A view that cannot be loaded, as after an
 * update of the server, is said by its boundary; what only opens in a view stays closed.
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { isView = false } = {},
): ComponentType<Props> & Lazy {
  let loaded: ComponentType<Props> | undefined;
  const preload = async () => {
    loaded ??= await load();
    return loaded;
  };
  function Lazy(props: Props) {
    const [Part, setPart] = useState<ComponentType<Props> | undefined>(() => loaded);
    const [isMissing, setIsMissing] = useState(false);
    useEffect(() => {
      if (!loaded)
        preload().then(
          (part) => setPart(() => part),
          () => setIsMissing(true),
        );
    }, []);
    if (isMissing && isView) throw new MissingPart();
    return Part ? <Part {...props} /> : null;
  }
  return Object.assign(Lazy, { preload });
}
