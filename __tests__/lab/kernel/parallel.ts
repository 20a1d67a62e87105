// Runs pieces of work a few at a time, taking the next when one is done: a generator may stop when it has seen enough.

export async function inParallel(
  width: number,
  pieces: () => Generator<() => Promise<void>, void, void>,
): Promise<void> {
  const next = pieces();
  const worker = async () => {
    for (let piece = next.next(); !piece.done; piece = next.next()) await piece.value();
  };
  await Promise.all(Array.from({ length: width }, worker));
}
