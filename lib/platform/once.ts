// Values that are made when they are first asked for, and kept.

/** Calls `make` at the first call, and gives what it made at each. */
export function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** What is known under the key; else what `make` gives, which is known from then on. */
export function kept<Key, Made>(
  known: { has(key: Key): boolean; get(key: Key): Made | undefined; set(key: Key, made: Made): unknown },
  key: Key,
  make: (key: Key) => Made,
): Made {
  if (!known.has(key)) known.set(key, make(key));
  return known.get(key) as Made;
}
