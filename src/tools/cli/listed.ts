/** Ids in a line of their own: what an operator compares with the outside system. */
const SHOWN = 100

/** Indented, and with the number of those that are not shown. */
export function listed(lines: readonly string[]): readonly string[] {
  const rest = lines.length - SHOWN
  const more = rest > 0 ? [`  and ${rest} more: --json lists them`] : []
  return [...lines.slice(0, SHOWN).map((line) => `  ${line}`), ...more]
}
