export interface Token {
  readonly text: string
  /** Where it begins in its line: lists of `/\` and `\/` are one list while they stand below each other. */
  readonly column: number
}

const TOKEN =
  /"[^"]*"|\\(?:in|notin|cup|E|A)\b|\\\/|\/\\|\|->|->|=>|==|<=|>=|<<|>>|\.\.|\[\]|[A-Za-z_]\w*|\d+|[-+=#<>~'.,:;!@()[\]{}\\]/g

/** Without comments, and without the lines that only separate. */
export function tokensOf(text: string): Token[] {
  const blank = (comment: string): string => comment.replaceAll(/[^\n]/g, ' ')
  const bare = text
    .replaceAll(/\(\*[^]*?\*\)/g, blank)
    .replaceAll(/\\\*.*/g, blank)
    .replaceAll(/^(?:-{4,}|={4,}).*$/gm, blank)
  return bare
    .split('\n')
    .flatMap((line) =>
      [...line.matchAll(TOKEN)].map(({ 0: found, index }) => ({ text: found, column: index })),
    )
}
