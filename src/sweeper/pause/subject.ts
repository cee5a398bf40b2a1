import type { PausedNames } from './pauseRow.ts'

/** What an operator knows a mapping by: the names of its tags, or its function without tags; then its queue. */
export function subjectOf(of: {
  readonly names: PausedNames
  readonly function: string
  readonly queue: string
}): string {
  const { consumer, flow } = of.names
  const named = consumer ?? (flow === undefined ? functionName(of.function) : `flow ${flow}`)
  return `${named} (queue ${queueName(of.queue)})`
}

/** The function, the queue and the UUID of a mapping: `lineclear audit --id` finds its rows by each of them. */
export function auditId(of: {
  readonly mapping: string
  readonly function: string
  readonly queue: string
}): string {
  return `${functionName(of.function)} ${queueName(of.queue)} ${of.mapping}`
}

function functionName(arn: string): string {
  const [, , , , , , name = arn] = arn.split(':')
  return name
}

function queueName(arn: string): string {
  return arn.split(':').at(-1) ?? ''
}
