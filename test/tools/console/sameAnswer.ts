/** What both have: without what only a page gets, the moment of the answer, and counts that grow with each look. */
export function sameAnswer(answer: unknown): unknown {
  const own = new Set(['at', 'line', 'exit', 'cost', 'here'])
  const shared = Object.entries(answer as object).filter(([name]) => !own.has(name))
  return withoutReceives(Object.fromEntries(shared))
}

/** SQS counts each look at a message. */
function withoutReceives(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map(withoutReceives)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => name !== 'received')
  return Object.fromEntries(members.map(([name, each]) => [name, withoutReceives(each)]))
}
