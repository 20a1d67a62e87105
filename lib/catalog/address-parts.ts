// Addresses of sessions, `agent:id`, as the catalogue keeps them in two columns.

export function partsOf(address: string): readonly [agent: string, id: string] {
  const colon = address.indexOf(':');
  return [address.slice(0, colon), address.slice(colon + 1)];
}
