/**
 * The words of a command line as a POSIX shell reads it, as far as printed commands use it: single and double quotes, and
 * backslashes.
 */
export function shellWords(line: string): readonly string[] {
  const words: string[] = []
  let word: string | undefined
  for (const { 0: part } of line.matchAll(/'[^']*'|"(?:\\.|[^"\\])*"|\\.|\s+|[^\s'"\\]+/gs)) {
    if (/^\s/.test(part)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + plain(part)
  }
  return word === undefined ? words : [...words, word]
}

function plain(part: string): string {
  if (part.startsWith("'")) return part.slice(1, -1)
  if (part.startsWith('"')) return part.slice(1, -1).replaceAll(/\\(["\\$`])/g, '$1')
  return part.startsWith('\\') ? part.slice(1) : part
}
