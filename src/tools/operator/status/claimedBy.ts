import { nextStep } from '../item/advise.ts'
import type { Task } from '../item/task.ts'
import type { StatusFinding } from './finding.ts'
import type { SourceQueue } from './sourceStatus.ts'

/** Requests of one owner that a function has claimed and not completed. */
export interface Claimed {
  readonly function: string
  /** Consumer or flow. */
  readonly of: string
  readonly number: number
  /** The last error of one of them. undefined: none has one. */
  readonly error: string | undefined
}

/** By function and owner; tasks that were not looked at are not among them. */
export function claimedOf(tasks: readonly Task[]): readonly Claimed[] {
  const open = tasks.filter(({ status, by }) => status === 'inProgress' && by !== undefined)
  const groups = Map.groupBy(open, ({ by = '', of }) => JSON.stringify([nameIn(by), of]))
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const error = group.find((task) => task.error !== undefined)?.error
    return { function: nameIn(first.by), of: first.of, number: group.length, error }
  })
}

/** `function/invocation`. */
function nameIn(by = ''): string {
  return by.split('/')[0] ?? by
}

/** A queue that does not empty, and whose function has claimed some: it does not fail before it claims anything. */
export function withClaims(
  finding: StatusFinding,
  claimed: readonly Claimed[],
  queues: readonly SourceQueue[],
): StatusFinding {
  if (finding.kind !== 'no progress') return finding
  const mappings = queues.find(({ name }) => name === finding.of)?.mappings ?? []
  // A mapping may name a version or an alias.
  const names = new Set(mappings.map((mapping) => mapping.function.split(':')[0]))
  const own = claimed.find((each) => names.has(each.function))
  if (own === undefined) return finding
  const { of, number, error } = own
  const behind = finding.of.endsWith('.fifo')
    ? '; on a FIFO queue the others of its message group wait behind it'
    : ''
  const why = error === undefined ? '' : ` (${error})`
  return {
    ...finding,
    what: `they do not get fewer, and ${number} of ${of} ${number === 1 ? 'is' : 'are'} tried again${why}${behind}`,
    ...nextStep({ action: 'ls', options: { consumer: of, status: 'inProgress' } }),
  }
}
