/** What the result of a query in `pg` declares. */
const DECLARED = ['command', 'rowCount', 'oid', 'rows', 'fields'] as const

/** The result of a query in `pg` also has functions, which cannot be stored: only what it declares is kept. */
export function plainResult(result: unknown): unknown {
  return isQueryResult(result)
    ? Object.fromEntries(DECLARED.map((name) => [name, result[name]]))
    : result
}

function isQueryResult(result: unknown): result is Record<(typeof DECLARED)[number], unknown> {
  return typeof result === 'object' && result !== null && DECLARED.every((name) => name in result)
}
