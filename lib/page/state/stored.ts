// Values of the page in the stores of the browser.

/** Undefined where there is none, or none that can be read. */
export function storedJson<Value>(storage: Storage, name: string): Value | undefined {
  try {
    return (JSON.parse(storage.getItem(name) ?? 'null') as Value | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined removes it. @throws where the browser keeps no more */
export function store(storage: Storage, name: string, text: string | undefined): void {
  if (text === undefined) storage.removeItem(name);
  else storage.setItem(name, text);
}
