// How git hides files from programs that only read: files with the names of keys get an attribute that no repository
// can know, and a wrapper around git leaves out files with that attribute. git's own store holds each version of a file
// that was ever committed, so hiding the file on the disk would not be enough.
import { credentialAttributes } from '../discovery/credential-names.ts';
import type { GivenFile } from './sandboxing.ts';

interface HiddenInGit {
  /** Drawn for each program. */
  readonly attribute: string;
  /** The user's own attributes, which count less. */
  readonly attributes: string;
  /** Paths from the root of the repository that are hidden, and those of keys that the user opened. */
  readonly hidden: readonly string[];
  readonly opened: readonly string[];
}

/** The text of a file of attributes. A later line wins. */
export function hidingAttributes({ attribute, attributes, hidden, opened }: HiddenInGit): string {
  const lines = [
    ...opened.map((path) => `${attributePattern(path)} -${attribute}`),
    `"**/.ollm/**" ${attribute}`,
    ...hidden.flatMap((path) => [
      `${attributePattern(path)} ${attribute}`,
      `${attributePattern(`${path}/**`, path)} ${attribute}`,
    ]),
  ];
  return `${attributes}\n${credentialAttributes(attribute)}${lines.join('\n')}\n`;
}

/** A path as a file of attributes has it: in quotes; `literal` is the part of it in which no sign has a meaning. */
export function attributePattern(path: string, literal = path): string {
  return JSON.stringify(`/${literal.replace(/[\\*?[]/g, '\\$&')}${path.slice(literal.length)}`);
}

/** A program named git, to be found before the real one, which it runs from the rest of PATH. */
export function gitReader({ attribute, path }: { readonly attribute: string; readonly path: string }): GivenFile {
  return {
    name: 'git',
    text: SCRIPT.replaceAll('ATTRIBUTE', attribute),
    isProgram: true,
    variables: (place) => ({ PATH: `${place.slice(0, place.lastIndexOf('/'))}:${path}` }),
  };
}

/**
 * Reads the words as git does: options before the subcommand, options that take the next word, revisions. A file by its
 * content's name has no path that could be hidden, so it is refused. Without a path of its own a log would leave out
 * the commits that change nothing visible; the options that are added keep them.
 */
const SCRIPT = `#!/bin/sh
PATH=\${PATH#*:}
subcommand= skip= ended= lines= patch= paths= file= pattern= at=0 count=0

refuse() { echo "git: $1" >&2; exit 128; }
kind() { git cat-file -t "$1" 2>/dev/null; }

look() {
  case $1 in
    *..*) set -- "$1" "\${1%%..*}" "\${1##*..}" ;;
    *) [ "$(kind "$1")" ] || paths=1 ;;
  esac
  for each; do
    [ "$(kind "\${each#^}")" = blob ] || continue
    case $each in
      *:*) file=1 ;;
      *) refuse "$each is the content of a file, and its name is not known here. Name it as REVISION:PATH." ;;
    esac
  done
}

left=$#
while [ "$left" -gt 0 ]; do
  word=$1 left=$((left - 1)) count=$((count + 1))
  shift
  set -- "$@" "$word"
  if [ "$skip" ]; then skip=; continue; fi
  if [ "$ended" ]; then paths=1; continue; fi
  case $subcommand:$word in
    :-c) skip=1 ;;
    :-*) ;;
    :*) subcommand=$word at=$count ;;
    *:--) ended=1; [ "$pattern" ] || [ "$subcommand" != grep ] || refuse "the pattern comes before --" ;;
    log:-[nSG] | show:-[nSG] | diff:-[SG] | grep:-[ABC]) skip=1 ;;
    log:-L | show:-L) skip=1 lines=1 ;;
    log:-L* | show:-L*) lines=1 ;;
    grep:-e) skip=1 pattern=1 ;;
    log:-p | log:-u | log:-U* | log:-W | log:--patch | log:--unified* | log:--word-diff* | log:--function-context | log:--binary) patch=1 ;;
    *:-*) ;;
    grep:*) if [ "$pattern" ]; then look "$word"; else pattern=1; fi ;;
    log:* | show:* | diff:* | cat-file:*) look "$word" ;;
  esac
done

case $subcommand in
  log) [ "$patch" ] && [ -z "$lines" ] || exec git "$@" ;;
  show) [ -z "$lines" ] || exec git "$@" ;;
  diff) [ -z "$file" ] || exec git "$@" ;;
  grep) [ "$pattern" ] || exec git "$@" ;;
  status) ;;
  *) exec git "$@" ;;
esac
case $subcommand:$paths in
  log: | show:)
    while [ "$count" -gt 0 ]; do
      word=$1 count=$((count - 1)) at=$((at - 1))
      shift
      set -- "$@" "$word"
      if [ "$at" -eq 0 ]; then set -- "$@" --full-history --sparse; fi
    done ;;
esac
exec git "$@" ':(exclude,top,attr:ATTRIBUTE)'
`;
