import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { pausedRow } from './pausedRow.ts'
import { sendableId } from '../../../src/library/protocol/record/envelope/lineclearAttributes.ts'
import { beginAudit } from '../../../src/library/entries/sweeper/audit/auditRow.ts'
import { indexed } from '../../../src/library/protocol/claim/statusIndex.ts'
import { writeCircuit } from '../../../src/library/features/circuitBreaker/circuit.ts'
import { openOperations } from '../../../src/testing/local/engines/dynamodb/operations.ts'
import { readRequest } from '../../../src/testing/local/engines/dynamodb/readRequest.ts'
import { documented } from '../formats/page.ts'
import type { Item, StoreKey } from '../../../src/library/protocol/store/store.ts'
import { accessDenied, answerInstead, CREDENTIALS } from './answerInstead.ts'
import type { Identity, Recorded, World } from './world.ts'

/** DynamoDB in this process with the table of a world, and what of it is denied. */
export async function plantTable(world: World): Promise<DynamoDBClient> {
  const client = new DynamoDBClient(CREDENTIALS)
  const operate = openOperations()
  let denied: World['denied'] = new Set()
  answerInstead(client, (operation, input) => {
    const isOfIndex = 'IndexName' in input
    if (operation.endsWith('GetItem') && denied.has('items'))
      throw accessDenied('dynamodb:BatchGetItem')
    if (operation === 'Query' && denied.has(isOfIndex ? 'index' : 'audit'))
      throw accessDenied(`dynamodb:Query on the ${isOfIndex ? 'index' : 'table'}`)
    return operate(operation, readRequest(operation, JSON.stringify(input)))
  })
  operate('CreateTable', tableDefinition() as never)
  const clock = { now: () => world.now, sleep: async () => {} }
  const store = documented(dynamoDbStore({ tableName: 'lineclear', client, clock }))
  const now = world.now + world.behind
  const items = itemsOf({ ...world, now })
  for (let at = 0; at < items.length; at += 100) await store.create(items.slice(at, at + 100))
  if (world.killedPlan !== undefined) {
    const entry = { action: 'dlq redrive', id: 'x', by: 'ann', why: '', command: '' }
    await beginAudit(store, { ...entry, plan: world.killedPlan }, now - 60_000)
  }
  denied = world.denied
  client.config.systemClockOffset = world.behind
  return client
}

type Row = Item & StoreKey

function itemsOf(world: World): readonly Row[] {
  return [
    ...world.records.flatMap((record) => rowsOf(record)),
    ...world.pauses.map(pausedRow),
    ...world.circuits.map(({ owner, says }) => writeCircuit(circuit(owner, says, world.now))),
    ...sweeperRow(world),
    ...planRow(world),
  ]
}

function circuit(name: string, error: string, now: number) {
  return { name, id: 'c', since: now - 600_000, probeAt: now + 10_000, error }
}

function sweeperRow({ sweeper, now }: World): readonly Row[] {
  if (sweeper === 'absent') return []
  const ended = now - (sweeper === 'runs' ? 4 : 600) * 60_000
  const last = { lastBegun: ended - 30_000, lastEnded: ended, lastLooked: 50, lastFound: 0 }
  const turn = { begun: ended - 30_000, looked: 50, found: 0 }
  const st = sweeper === 'stuck' ? 'searching' : 'over'
  return [{ pk: 'searches', sk: 'lost attempts', st, ...turn, ...last }]
}

function planRow({ killedPlan, now }: World): readonly Row[] {
  if (killedPlan === undefined) return []
  const state = { action: 'dlq redrive', args: '[]', planned: 9, done: 2, state: 'running' }
  const by = { by: 'ann', at: new Date(now - 60_000).toISOString(), leaseUntil: now - 30_000 }
  return [{ pk: `operation#${killedPlan}`, sk: 'plan', ...state, ...by }]
}

/** The partition key under which the library keeps it. */
function pkOf({ form, owner, id }: Identity): string {
  switch (form) {
    case 'request':
      return `lock#${owner}/${sendableId(id)}`
    case 'key':
      return `key#${owner}/${id}`
    case 'event':
      return `once#${owner}/${id}`
    case 'delayed':
      return `later#${id}`
    case 'run':
    case 'step':
      return `flow#${owner}/${id}`
  }
}

/** Id of the run of a flow's key. */
export function runIdOf({ nth }: Pick<Recorded, 'nth'>): string {
  return `run-${nth}`
}

function rowsOf(record: Recorded): readonly Row[] {
  const { form, status, cause, nth, claimedAt, dueAt, leaseUntil } = record
  const pk = pkOf(record)
  const created = new Date(claimedAt).toISOString()
  const error = cause?.error(nth)
  const failed = error === undefined ? {} : { error }
  const run = { uniquerequestid: runIdOf(record), epoch: 1 }
  switch (form) {
    case 'request':
    case 'key':
      return [tokenRow(record, pk)]
    case 'event':
      return [{ pk, sk: 'once', created, status: 'accepted', ...indexed(pk, 'accepted', dueAt) }]
    case 'delayed': {
      const row = { st: 'due', queue: 'https://sqs/1/mails', due: dueAt, by: 'orders', keepFor: 1 }
      const more = { uniquerequestid: `r${nth}`, created, ...indexed(pk, 'later', dueAt) }
      return [{ pk, sk: 'later', ...row, ...more }]
    }
    case 'step': {
      const until = { until: dueAt, expectedCompletion: new Date(dueAt).toISOString() }
      const step = { ...run, need: 1, count: 0, 'step:s': 'waiting', created, ...until }
      return [
        { pk, sk: `await#quote#${runIdOf(record)}`, ...step, ...indexed(pk, 'awaiting', dueAt) },
        record.runEnded === true
          ? { pk, sk: 'stage', epoch: 2, fence: 2 }
          : { pk, sk: 'stage', ...run, fence: 1, giveUpAt: dueAt, 'stage:book': 'settled on' },
      ]
    }
    case 'run': {
      if (status !== 'dead') {
        const stage = {
          'stage:book': `open 1 a ${leaseUntil} 0`,
          giveUpAt: record.giveUpAt ?? dueAt,
        }
        return [{ pk, sk: 'stage', ...run, fence: 1, ...stage, ...indexed(pk, 'running', dueAt) }]
      }
      const dead = { fence: 1, 'stage:book': `dead 1 ${cause?.reason}`, restored: '[]' }
      const kept = { continuable: dueAt + 1e9, created: new Date(dueAt).toISOString(), ...failed }
      const sk = `dead#${runIdOf(record)}`
      return [{ pk, sk, ...run, ...dead, ...kept, ...indexed(pk, 'dead', dueAt) }]
    }
  }
}

function tokenRow(record: Recorded, pk: string): Row {
  const { status, cause, nth, claimedAt, dueAt, leaseUntil, attempt, lettered } = record
  const base = { attemptId: 'a', attempt, fence: attempt, leaseUntil }
  const created = new Date(claimedAt).toISOString()
  const isParked = status === 'error' || status === 'unknown'
  const why = cause === undefined ? {} : { error: cause.error(nth) }
  const reason = isParked && cause !== undefined ? { reason: cause.reason } : {}
  const death = lettered && isParked ? { death: 1 } : {}
  const row = { pk, sk: 'token', ...base, created }
  if (status === 'complete') return { ...row, ...indexed(pk, 'inProgress', dueAt) }
  const place = indexed(pk, status, dueAt)
  return { ...row, status, ...why, ...reason, ...death, ...place }
}
