import type { Item, Store, StoreKey } from '../../../store/store.ts'
import { loadItem } from '../../../sweeper/due/listDue.ts'

/**
 * `planned`: nothing was changed yet. `running`: a command works on it, or was killed. `paused`: by an operator. `stopped`: by
 * itself, because what it did failed. `done`: nothing of it is left.
 */
export type OperationState = 'planned' | 'running' | 'paused' | 'stopped' | 'done'

/** What an operator has planned for many items, and how far it is. It is a row of the table; rows beside it hold the contents. */
export interface Operation {
  /** The name of the plan. */
  readonly name: string
  /** `dlq redrive`, `tokens resolve`, …. */
  readonly action: string
  /** The command's name and its own arguments. */
  readonly args: readonly string[]
  /** Number of dead letters or requests of the plan. */
  readonly planned: number
  readonly state: OperationState
  /** Those that are dealt with. After a kill it may lack those of the last page, or of the last tenth of a second. */
  readonly done: number
  /** Of those of a redrive that are looked after: they have failed again. */
  readonly failed: number
  /** Dead letters a second, of a redrive that runs or has run. */
  readonly rate: number | undefined
  /** Of `stopped`: why. */
  readonly because: string | undefined
  /** When it was planned, or began to run. ISO 8601. */
  readonly at: string
  readonly by: string
  /** Until when the command that runs it is taken to be alive, epoch milliseconds. 0: no command runs it. */
  readonly leaseUntil: number
}

/** The partition of a plan: this row, and rows with its contents. */
export const operationPartition = (name: string): string => `operation#${name}`
export const operationKey = (name: string): StoreKey => ({
  pk: operationPartition(name),
  sk: 'plan',
})

/** @returns undefined when there is no such plan. @throws StoreUnavailableError */
export async function loadOperation(store: Store, name: string): Promise<Operation | undefined> {
  const item = await loadItem(store, operationKey(name))
  return item && readOperation(name, item)
}

/** @returns undefined for a row that is none */
export function readOperation(name: string, item: Item): Operation | undefined {
  const { action, args, planned, state, done, failed, rate, because, at, by, leaseUntil = 0 } = item
  if (typeof action !== 'string' || typeof args !== 'string' || typeof by !== 'string') return
  if (typeof planned !== 'number' || typeof done !== 'number' || typeof at !== 'string') return
  if (!STATES.has(state) || typeof leaseUntil !== 'number') return undefined
  return {
    name,
    action,
    args: JSON.parse(args) as string[],
    planned,
    state: state as OperationState,
    done,
    failed: typeof failed === 'number' ? failed : 0,
    rate: typeof rate === 'number' ? rate : undefined,
    because: typeof because === 'string' ? because : undefined,
    at,
    by,
    leaseUntil,
  }
}

const STATES: ReadonlySet<unknown> = new Set<OperationState>([
  'planned',
  'running',
  'paused',
  'stopped',
  'done',
])
