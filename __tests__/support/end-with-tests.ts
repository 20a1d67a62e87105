// Ends what a test that failed or took too long has left running: Jest would wait for it forever. A set-up file.
const ends: (() => void)[] = [];

export default function endAfterAll(): void {
  afterAll(() => {
    for (const end of ends.splice(0)) end();
  });
}

/** `end` is called when all tests of this file are over. A resource that has ended by itself must bear it. */
export function endWithTests(end: () => void): void {
  ends.push(end);
}
