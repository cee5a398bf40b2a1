import type { PausedNames } from './pauseRow.ts'

/** What an operator knows a mapping by: the names of its tags, or its function without tags; then its queue. */
export function subjectOf(of: {
  readonly names: PausedNames
  readonly function: string
  readonly queue: string
}): string {
  const { consumer, flow } = of.names
  const [, , , , , , handler = of.function] = of.function.split(':')
  const named = consumer ?? (flow === undefined ? handler : `flow ${flow}`)
  return `${named} (queue ${of.queue.split(':').at(-1) ?? ''})`
}
