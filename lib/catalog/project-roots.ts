// Sessions in directories and below, in SQL. A directory with a backslash is one of Windows: its sessions may have both
// separators. The same for a list is `isOfDirectory`.

/**
 * The table `roots` of a statement.
 * `list`: parameter with a JSON list of directories; `remote`: parameter with the remote whose directories are added.
 */
export function rootsOf(list: string, remote: string): string {
  return `roots AS MATERIALIZED (
    SELECT rtrim(directory, mark) || mark AS root, mark FROM (
      SELECT directory, iif(instr(directory, '\\') > 0, '\\', '/') AS mark FROM (
        SELECT value AS directory FROM json_each(${list}) UNION SELECT project FROM sessions WHERE remote = ${remote}
      )
    )
  )`;
}

/** Condition on a row of `sessions`. */
export const IN_ROOTS =
  "EXISTS (SELECT 1 FROM roots WHERE substr(replace(project, '/', mark) || mark, 1, length(root)) = root)";
