import type { Model } from './model.ts'
import { ID } from './scenario.ts'
import { isComplete } from './watch.ts'

export type End = 'completed' | 'dead-lettered' | 'completed and dead-lettered' | 'lost'

export function endOf({ table, deadLetters }: Model): End {
  const isDead = deadLetters.messages.some(({ uniqueRequestId }) => uniqueRequestId === ID)
  if (isComplete(table.tokens.get(`lock#orders/${ID}`))) {
    return isDead ? 'completed and dead-lettered' : 'completed'
  }
  return isDead ? 'dead-lettered' : 'lost'
}

export function ends(model: Model, ...allowed: readonly End[]): string | undefined {
  const end = endOf(model)
  return allowed.includes(end) ? undefined : `at rest, the request is ${end}`
}

/** Exactly once when completed, at most once in any case. */
export function reservedOnce(model: Model): string | undefined {
  const times = Number(model.table.base.userItems('stock')[0]?.['reserved'] ?? 0)
  if (times > 1) return `the effect happened ${times} times`
  return times === 0 && endOf(model) === 'completed' ? 'completed without its effect' : undefined
}

/** Each fault costs one run at most. */
export function ranAtMost({ watch, simulation }: Model, times: number): string | undefined {
  const runs = watch.executions(ID)
  return runs <= times + simulation.spent.length
    ? undefined
    : `the handler ran ${runs} times for nothing`
}

/** Each fault costs one more dead letter at most, of the same death, by which its redrive is recognised. */
export function buriedOnce({ deadLetters, simulation }: Model): string | undefined {
  const { messages } = deadLetters
  if (new Set(messages.map(({ death }) => death)).size > 1) return 'one death was reported as two'
  return messages.length <= 1 + simulation.spent.length
    ? undefined
    : `${messages.length} dead letters`
}

export function calledOnce({ calls }: Model): string | undefined {
  return calls.length === 1 ? undefined : `the service was called ${calls.length} times`
}
