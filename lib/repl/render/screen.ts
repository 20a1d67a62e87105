// The terminal as drawing sees it, and what has to be known of rows that shall be drawn over.

export interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** Whether the cursor can be moved; false: nothing preliminary is shown. */
  readonly movable: boolean;
  write(text: string): void;
}

/** A row as it was drawn. */
export interface Row {
  readonly text: string;
  /** Columns. */
  readonly width: number;
}

/** Rows that these take on a terminal that may have become narrower since they were drawn. */
export function rowsTaken(rows: readonly Row[], columns: number): number {
  return rows.reduce((sum, row) => sum + Math.max(1, Math.ceil(row.width / Math.max(1, columns))), 0);
}
