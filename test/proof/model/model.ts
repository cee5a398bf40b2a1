import type { SQSRecord } from 'aws-lambda'
import type { Handle } from '../../../src/library/run/deliver/tokenStrategy.ts'
import type { Consumer } from '../../../src/library/run/deliver/consumer.ts'
import type { Settlement } from '../../../src/library/protocol/claim/settlement.ts'
import { tokenKey } from '../../../src/library/protocol/claim/token/token.ts'
import type { Messenger } from '../../../src/library/protocol/send/messenger.ts'
import { memoryStore } from '../../../src/library/adapters/store/memory/memoryStore.ts'
import type { Item, Store } from '../../../src/library/protocol/store/store.ts'
import type { Days } from './days.ts'
import type { Table } from './modelStore.ts'
import type { Scenario } from './scenario.ts'
import {
  type SimulatedMessage,
  openSimulatedQueue,
  type SimulatedQueue,
} from '../../../src/testing/queues/simulatedQueue.ts'
import { openWatch, type Watch } from './watch.ts'
import type { Actor, Simulation } from '../../../src/testing/crashes/simulation/simulation.ts'

/** Takes a part of the protection away, to see what breaks. */
export interface Removal {
  readonly store?: (base: Store) => Store
  readonly messenger?: (
    real: Messenger,
    model: Model,
    messages: readonly SimulatedMessage[],
  ) => Messenger
  /** Also acknowledges records with this settlement. */
  readonly acknowledges?: (settlement: Settlement) => boolean
  readonly handle?: (real: Handle, model: Model) => Handle
  /** Changes what Lambda hands over. */
  readonly receive?: (record: SQSRecord, model: Model) => SQSRecord
}

/** Everything outside the code under test. */
export interface Model {
  readonly simulation: Simulation
  readonly table: Table
  readonly queue: SimulatedQueue
  readonly deadLetters: SimulatedQueue
  /** Messages that handlers sent. */
  readonly next: SimulatedQueue
  /** Calls that reached the outside system, by their key. */
  readonly calls: string[]
  readonly watch: Watch
  /** How often the operator will still redrive all dead letters, once nothing else is on the queue. */
  redrivesLeft: number
  /** The operator does not wait until the queue is empty. */
  redrivesBeside?: boolean
  /** The operator may drop the request, once it is dead. */
  drops?: boolean
  /** How often they were redriven. */
  redriven: number
  readonly removal: Removal
  readonly consumer: Consumer
  readonly handler: (model: Model, actor: Actor) => Handle
  readonly onFailure: Scenario['onFailure']
  readonly strategy: Scenario['strategy']
  /** Sends what the sweeper would send, once nothing else is left to do. @returns false: nothing */
  readonly sweep: Scenario['sweep']
  /** undefined: no days pass. */
  days: Days | undefined
}

export function openModel(
  simulation: Simulation,
  consumer: Consumer,
  {
    handler,
    onFailure,
    strategy,
    sweep,
    unclaimed = 0,
  }: Pick<Scenario, 'handler' | 'onFailure' | 'strategy' | 'sweep' | 'unclaimed'>,
  removal: Removal,
): Model {
  const deletes = { until: 0 }
  const clock = { now: () => deletes.until, sleep: () => Promise.resolve() }
  const base = memoryStore({ deletesExpired: true, clock })
  const shown = removal.store?.(base) ?? base
  const table: Table = {
    base,
    shown,
    tokens: new Map(),
    before: new Map(),
    names: new Map(),
    users: '',
    deletes,
  }
  const [queue, deadLetters, next] = [
    openSimulatedQueue(),
    openSimulatedQueue(),
    openSimulatedQueue(),
  ]
  const tokenAt = (pk: string): Item | undefined => table.tokens.get(pk)
  const watch = openWatch(simulation, {
    maxAttempts: consumer.maxAttempts,
    unclaimed,
    tokenAt,
    tokenOf: (id) => tokenAt(tokenKey(consumer.name, id).pk),
    queue,
    deadLetters,
  })
  return {
    simulation,
    table,
    queue,
    deadLetters,
    next,
    calls: [],
    watch,
    redrivesLeft: 0,
    redriven: 0,
    removal,
    consumer,
    handler,
    onFailure,
    strategy,
    sweep,
    days: undefined,
  }
}
