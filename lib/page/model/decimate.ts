/** Points of a curve, at most one lowest and one highest for each column of pixels: the picture stays the same. */
export function decimate(values: readonly number[], columns: number): { index: number; value: number }[] {
  if (values.length <= 2 * columns) return values.map((value, index) => ({ index, value }));
  const perColumn = values.length / columns;
  return Array.from({ length: columns }, (_, column) => {
    const from = Math.floor(column * perColumn);
    const to = Math.max(from + 1, Math.floor((column + 1) * perColumn));
    let [low, high] = [from, from];
    for (let index = from; index < to; index += 1) {
      if (values[index]! < values[low]!) low = index;
      if (values[index]! > values[high]!) high = index;
    }
    return [...new Set([Math.min(low, high), Math.max(low, high)])].map((index) => ({ index, value: values[index]! }));
  }).flat();
}
