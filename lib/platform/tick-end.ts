// Comes back when everything that can run without the event loop has run: every promise that was kept, and whatever
// that set off. What is asked for at once can be gathered so, without waiting for anything.

export function tickEnd(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
