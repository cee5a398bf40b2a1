import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomUUID } from 'node:crypto'
import { contextOf } from '../context.ts'
import { batchOf, type Batch, type Shape } from '../events.ts'
import { PEERS, type PeerName } from '../peers/index.ts'

/** What a peer process is started as. */
export interface Setup {
  readonly peer: PeerName
  /** In the tables; default: the peer's name. */
  readonly label?: string
  readonly identity?: 'record' | 'payload'
  readonly concurrency?: number
  readonly quiet?: boolean
  readonly circuitBreaker?: boolean
  /** How long the work takes, milliseconds. Default: nothing. */
  readonly workMs?: number
  /** It calls through a client that it was given, and not through its own. */
  readonly givenClient?: boolean
}

export interface Task {
  readonly shape: Shape
  readonly size: number
  readonly batches: number
  readonly payloadBytes: number
  /**
   * Collects garbage before the batches: for the peak of memory only. It also shrinks V8's young generation, whose growth would
   * then be measured in each round, and weigh ten times as much for a peer that needs a tenth of the CPU.
   */
  readonly collectFirst?: true
}

export interface Taken {
  /** User and system time of the whole process for all batches, microseconds. */
  readonly cpu: number
  /** For each batch, milliseconds. */
  readonly wall: readonly number[]
  /** The peak memory of the process, bytes. */
  readonly peakRss: number
}

/** The other end of `openPeer`: one peer alone in a process, so that neither heap nor compiled code is shared. */
const setup: Setup = JSON.parse(process.argv[2] ?? '{}')
let executions = 0
const peer = await PEERS[setup.peer]()
const handler = peer({
  ...setup,
  work: setup.workMs === undefined ? count : slowly(setup.workMs),
  ...(setup.givenClient === true && { client: new DynamoDBClient() }),
})

process.on('message', (task: Task) => {
  void run(task).then(
    (taken) => process.send?.({ taken }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})

async function run({ shape, size, batches, payloadBytes, collectFirst }: Task): Promise<Taken> {
  const prepared = Array.from({ length: batches }, () => batchOf(shape, size, payloadBytes))
  for (const { before } of prepared) if (before) await handler(before, contextOf(randomUUID()))
  if (collectFirst) globalThis.gc?.()
  executions = 0
  const wall: number[] = []
  const cpu = process.cpuUsage()
  for (const { event } of prepared) {
    const start = performance.now()
    const { batchItemFailures } = await handler(event, contextOf(randomUUID()))
    wall.push(performance.now() - start)
    if (batchItemFailures.length > 0) throw new Error(`${setup.peer} left records on the queue`)
  }
  const { user, system } = process.cpuUsage(cpu)
  check(prepared)
  return { cpu: user + system, wall, peakRss: process.resourceUsage().maxRSS * 1_024 }
}

/** A peer that runs too little or too much is not measured. */
function check(batches: readonly Batch[]): void {
  const all = batches.reduce((total, { event }) => total + event.Records.length, 0)
  const fresh = batches.reduce((total, batch) => total + batch.fresh, 0)
  const expected = setup.peer === 'bare' ? all : fresh
  if (executions !== expected) {
    throw new Error(
      `${setup.peer} ran ${executions} of ${all} records where ${expected} were to run`,
    )
  }
}

function count(): void {
  executions += 1
}

function slowly(milliseconds: number): () => Promise<void> {
  return async () => {
    await sleep(milliseconds)
    executions += 1
  }
}
