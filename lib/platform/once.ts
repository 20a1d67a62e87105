// Values that are made when they are first asked for, and kept.

/** Calls `make` at the first call; each call gives its result. */
export function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The value under the key; else that of `make`, which is kept from then on. */
export function kept<Key, Made>(
  known: { has(key: Key): boolean; get(key: Key): Made | undefined; set(key: Key, made: Made): unknown },
  key: Key,
  make: (key: Key) => Made,
): Made {
  if (!known.has(key)) known.set(key, make(key));
  return known.get(key) as Made;
}
