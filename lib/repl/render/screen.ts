// The terminal as drawing sees it: its size at this moment, and a place to write.

export interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** Whether the cursor can be moved; false: nothing preliminary is shown. */
  readonly movable: boolean;
  write(text: string): void;
}

export function terminalScreen(output: NodeJS.WriteStream, movable: boolean): Screen {
  return {
    get columns() {
      return Math.max(2, output.columns || 80);
    },
    get rows() {
      return Math.max(4, output.rows || 24);
    },
    movable,
    write: (text) => void output.write(text),
  };
}
