import type { Call, Ledger } from '../callers.ts'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from '../../../../src/library/adapters/store/dynamodb/index.ts'
import {
  type Faults,
  type LocalCloud,
  startLocalCloud,
} from '../../../../src/testing/local/index.ts'
import { type Played, playOut } from '../playOut.ts'
import { readRows } from '../readRows.ts'
import type { RollOut } from './rollOut.ts'
import { silent } from '../silent.ts'

export interface CallsInTurn {
  readonly requests: number
  readonly seed: number
  readonly faults: Faults
  readonly rollOut: RollOut
}

/** `lost` and `doubled` should be empty. */
export interface CallsInTurnBooks extends Played {
  readonly requests: number
  readonly lost: readonly string[]
  /** Booked or paid more than once, or answered in two ways. */
  readonly doubled: readonly string[]
}

/** The keys of `idempotent` and `invocationHandler`, whose calls of one id go to two versions: claimed, continued and answered by both. */
export async function runCallsInTurn(options: CallsInTurn): Promise<CallsInTurnBooks> {
  const { requests: count, seed, faults, rollOut } = options
  await using cloud = await startLocalCloud(
    {
      queues: { calls: { visibilityTimeout: 3 } },
      tables: { lineclear: tableDefinition(), effects: { hash: 'id' } },
    },
    { logger: silent },
  )
  const calls = Array.from({ length: count }, (_, nth): Call => ({
    id: `c${seed}-${nth}`,
    by: nth % 2 === 0 ? 'idempotent' : 'invocationHandler',
    isFlaky: nth % 5 === 0,
  }))
  const ledger: Ledger = { payments: new Map(), answers: new Map() }
  const callers = rollOut.versions.map((version) => version.callerOn(cloud, ledger))
  const played = await playOut({
    cloud,
    handlers: { calls: rollOut.inTurn(callers) },
    faults,
    seed,
    versions: rollOut.versions,
    requests: count,
    send: () => sendAll(cloud, calls),
  })
  const rows = await readRows(cloud, 'effects')
  const booked = new Map(rows.map((row) => [row['id']?.S, Number(row['done']?.N ?? 0)]))
  const timesOf = ({ id, by }: Call): readonly number[] => [
    ...(by === 'idempotent' ? [] : [booked.get(id) ?? 0]),
    ledger.payments.get(id)?.size ?? 0,
    ledger.answers.get(id)?.size ?? 0,
  ]
  const named = (is: (times: number) => boolean): readonly string[] =>
    calls.filter((call) => timesOf(call).some(is)).map(({ id, by }) => `${by} ${id}`)
  const [lost, doubled] = [named((times) => times === 0), named((times) => times > 1)]
  return { ...played, requests: count, lost, doubled }
}

async function sendAll(cloud: LocalCloud, calls: readonly Call[]): Promise<void> {
  const QueueUrl = cloud.queueUrl('calls')
  for (const call of calls)
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(call) }))
}
