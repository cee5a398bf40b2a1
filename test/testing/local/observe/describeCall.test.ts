import * as retryStage from '../../../../src/library/protocol/claim/stage/endAttempt.ts'
import * as claims from '../../../../src/library/protocol/claim/token/claimWrites.ts'
import * as keys from '../../../../src/library/protocol/claim/token/endKey.ts'
import * as marks from '../../../../src/library/protocol/claim/token/tokenWrites.ts'
import * as retries from '../../../../src/library/protocol/claim/token/tokenWrites.ts'
import * as settles from '../../../../src/library/protocol/claim/token/settleWrites.ts'
import * as stageGiven from '../../../claim/stage/given.ts'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { describe, expect, it } from 'vitest'
import { claimWrite } from '../../../../src/library/protocol/claim/stage/claimWrite.ts'
import {
  writeDrop,
  writeWaiting,
} from '../../../../src/library/protocol/claim/stage/decideConflict.ts'
import {
  addStageEffect,
  answerItem,
  markNotDone,
  markStarted,
} from '../../../../src/library/protocol/claim/stage/heldStage.ts'
import { type HeldStage } from '../../../../src/library/protocol/claim/stage/stageOwnedBy.ts'
import type { OpenEntry } from '../../../../src/library/protocol/claim/stage/stageEntry.ts'
import { settleStage } from '../../../../src/library/protocol/claim/stage/endAttempt.ts'
import type { Item, Store, StoreKey, Update } from '../../../../src/library/protocol/store/store.ts'
import { describeCall } from '../../../../src/testing/local/observe/describeCall.ts'
import { NOW, request, token } from '../../../claim/token/given.ts'

interface Call {
  readonly action: string
  readonly input: object
}

/** The calls that the store really makes, to a client that answers nothing. */
async function callsOf(run: (store: Store) => Promise<unknown>): Promise<readonly Call[]> {
  const calls: Call[] = []
  const client = {
    send: (command: { readonly input: { readonly Statements?: readonly object[] } }) => {
      const { input } = command
      calls.push({ action: command.constructor.name.replace('Command', ''), input })
      return Promise.resolve({ Responses: input.Statements?.map(() => ({})) ?? {} })
    },
  }
  await run(dynamoDbStore({ tableName: 'lineclear', client: client as unknown as DynamoDBClient }))
  return calls
}

async function described(run: (store: Store) => Promise<unknown>) {
  const [call] = await callsOf(run)
  return describeCall(call?.action ?? '', call?.input ?? {})
}

const error = { reason: 'exhausted' as const, error: 'down', stack: '' }
const death = { reason: 'exhausted', error: 'down' }
const mine = token({ attemptId: 'mine', calls: new Map([['charge', 'done:1']]) })
const keyed = token({ pk: 'key#payments/k-1', attemptId: 'mine' })
const [NEW, ENDED] = [request(), { now: NOW, retention: 1_000 }]

const UPDATES: readonly (readonly [string, Update])[] = [
  ['claims again orders/r-1', claims.restart(token({ status: 'complete' }), NEW, NOW)],
  ['takes over orders/r-1', claims.takeOver(token(), NEW, NOW)],
  ['claims the next attempt of orders/r-1', claims.takeOver(token({ leaseUntil: 0 }), NEW, NOW)],
  ['reopens orders/r-1', claims.reopen(token({ status: 'error' }), NEW, NOW)],
  ['starts the dead letter of orders/r-1', claims.takeOverToDeadLetter(token(), NEW, death)],
  ['starts the dead letter of orders/r-1', retries.startDeadLettering(mine, error, NOW)],
  ['records the death of orders/r-1', retries.finishDeadLettering(mine, NOW)],
  [
    'parks, outcome unknown: orders/r-1',
    retries.finishDeadLettering(token({ reason: 'unknown' }), NOW),
  ],
  ['completes orders/r-1', settles.complete(mine, NOW, 1_000, '[["paid","m"]]')],
  ['completes payments/k-1', keys.completeKey(keyed, { ...ENDED, set: { result: 'secret' } })],
  ['parks payments/k-1', keys.parkKey(keyed, 'error', error, NOW)],
  ['releases payments/k-1', keys.freeKey(keyed, ENDED)],
  ['shows a sign of life of payments/k-1', keys.showAlive(keyed, NOW)],
  ['schedules a retry of orders/r-1', retries.scheduleResend(mine, 1, NOW)],
  ['confirms the retry of orders/r-1', retries.confirmResend(mine)],
  ['lets wait orders/r-1', retries.waitUntil(mine, NOW)],
  ['releases orders/r-1', settles.release(mine, NOW)],
  ['begins call charge of orders/r-1', marks.storeCall(mine, 'charge', 'start', undefined)],
  ['keeps the result of charge of orders/r-1', marks.storeCall(mine, 'charge', 'done:9', 'start')],
  ['forgets call charge of orders/r-1', marks.forgetCall(mine, 'charge')],
]

const entry: OpenEntry = {
  status: 'open',
  attemptId: 'mine',
  attempt: 1,
  leaseUntil: stageGiven.LIVE,
  resendNumber: 0,
}
const running = stageGiven.running({ 'stage:validate': `open 1 mine ${stageGiven.LIVE} 0` })
const held: HeldStage = { record: running, run: running.run, stage: 'validate', entry }
const closing = { now: NOW, retention: 1_000 }

function settled(ends: boolean): Update {
  const ending = settleStage(held, { ends, sentTo: ends ? [] : ['pay'] }, closing)
  return ending.kind === 'end' ? ending.ending.finish : ending.update
}

function claimed(verdict: Parameters<typeof claimWrite>[0]): Update {
  const write = claimWrite(verdict, stageGiven.request(), stageGiven.KEY)
  if (write.kind === 'create') throw new Error('creates')
  return write.update
}

const OF_STAGES: readonly (readonly [string, Update])[] = [
  ['starts checkout/cart/1', claimed({ kind: 'start', record: stageGiven.idle() })],
  [
    'claims stage validate of checkout/cart/1',
    claimed({ kind: 'begin', record: stageGiven.running() }),
  ],
  [
    'claims the next attempt of stage validate of checkout/cart/1',
    claimed({ kind: 'takeOver', record: running }),
  ],
  ['completes stage validate of checkout/cart/1', settled(false)],
  ['ends the run of checkout/cart/1', settled(true)],
  [
    'schedules a retry of stage validate of checkout/cart/1',
    retryStage.resendingEntry(held, 1, NOW),
  ],
  ['confirms the retry of stage validate of checkout/cart/1', retryStage.resentEntry(held, 1, 5)],
  ['releases stage validate of checkout/cart/1', retryStage.releasedEntry(held)],
  [
    'starts the dead letter of stage validate of checkout/cart/1',
    retryStage.dyingEntry(held, 'exhausted'),
  ],
  ['begins call charge in stage validate of checkout/cart/1', markStarted(held, 'charge', 1)],
  ['forgets call charge in stage validate of checkout/cart/1', markNotDone(held, 'charge', 1)],
  ['drops a request for checkout/cart/1', writeDrop(running, 'r9')],
  [
    'notes a newer request for checkout/cart/1',
    writeWaiting(running, { sentAt: 9, uniqueRequestId: 'r9' }),
  ],
]

describe('an update of an own item', () => {
  it.each([...UPDATES, ...OF_STAGES])('%s', async (words, update) => {
    const one = await described((store) => store.update([update]))
    expect(one).toMatchObject({ words, table: 'lineclear' })
    // Ten at once are one BatchExecuteStatement, in the other language.
    const all = await described((store) => store.update(ten(update)))
    const { requests: [first = ''] = [] } = one
    expect(all.requests?.[0] ?? '').toBe(first)
    expect(all).toEqual({
      ...one,
      words: `${words} and 9 more`,
      ...(all.requests && { requests: all.requests }),
    })
  })

  it('tells the effect and the request', async () => {
    const call = marks.storeCall(mine, 'charge', 'start', undefined)
    const about = { effect: 'charge', requests: ['r-1'], key: 'orders/r-1' }
    expect(await described((store) => store.update([call]))).toMatchObject(about)
    const mark = markStarted(held, 'charge', 1)
    expect(await described((store) => store.update([mark]))).toMatchObject({
      effect: 'charge',
      requests: ['r4'],
    })
  })
})

function ten(update: Update): readonly Update[] {
  return copies(update.key).map((key) => ({ ...update, key }))
}

function copies<Key extends StoreKey>(key: Key): readonly Key[] {
  return Array.from({ length: 10 }, (_, at) => ({ ...key, pk: `${key.pk}${at || ''}` }))
}

describe('a new or read item', () => {
  const created: readonly (readonly [string, Item & StoreKey])[] = [
    ['claims orders/r-1', claims.newToken(NEW, NOW)],
    ['starts checkout/cart/1', { ...stageGiven.KEY, uniquerequestid: 'r4' }],
    ['keeps the result of charge in checkout/cart/1', answerItem(held, 'charge', 'secret', NOW)],
    ['writes step quote of trip/t', { pk: 'flow#trip/t', sk: 'await#quote#r4' }],
    [
      'keeps an answer for step quote of trip/t',
      { pk: 'flow#trip/t', sk: 'await#quote#r4#id#hash', body: 'secret' },
    ],
    ['notes who waits for trip/quote/q-1', { pk: 'await#trip/quote/q-1', sk: 'waiters' }],
    ['delays message m-1', { pk: 'later#m-1', sk: 'later', message: 'secret' }],
    ['keeps what a dead request has done in trip/t', { pk: 'flow#trip/t', sk: 'dead#r4' }],
    ['remembers an ended request of trip/t', { pk: 'flow#trip/t', sk: 'done#abc' }],
  ]

  it.each(created)('%s', async (words, item) => {
    const one = await described((store) => store.create([item]))
    expect(one.words).toBe(words)
    const all = await described((store) => store.create(copies(item)))
    expect(all.words).toBe(`${words} and 9 more`)
    expect(JSON.stringify([one, all])).not.toContain('secret')
  })

  it('is looked at, alone or with others', async () => {
    const [first, second] = [
      { pk: 'lock#orders/a', sk: 'token' },
      { pk: 'lock#orders/b', sk: 'token' },
    ]
    expect(await described((store) => store.read([first]))).toMatchObject({
      words: 'looks at orders/a',
      requests: ['a'],
    })
    expect(await described((store) => store.read([first, second]))).toMatchObject({
      words: 'looks at orders/a and 1 more',
      requests: ['a', 'b'],
    })
  })
})

describe('a transaction', () => {
  const write = {
    TableName: 'stock',
    Key: { sku: 'apple' },
    set: { owner: 'secret' },
    where: [],
  }

  it('is the effect of a request, on an item of the user', async () => {
    const words = 'effect reserve of orders/r-1: updates stock sku=apple'
    expect(
      await described((store) => store.transact(marks.addEffect(mine, 'reserve'), [write])),
    ).toEqual({ words, table: 'stock', key: 'sku=apple', effect: 'reserve', requests: ['r-1'] })
    const inStage = await described((store) =>
      store.transact(addStageEffect(held, 'reserve'), [write]),
    )
    expect(inStage).toMatchObject({
      words: 'effect reserve in stage validate of checkout/cart/1: updates stock sku=apple',
      effect: 'reserve',
      requests: ['r4'],
    })
  })
})

describe('a call of the user', () => {
  const stock = { TableName: 'stock' }
  const url = 'http://127.0.0.1:1/000000000000/paid'
  const stamped = { MessageAttributes: { uniquerequestid: { StringValue: 'm-1' } } }
  const packed = (fields: object) => ({
    MessageAttributes: { lineclear: { StringValue: JSON.stringify(fields) } },
  })
  const cases: readonly (readonly [string, string, object])[] = [
    ['reads stock sku=a', 'GetItem', { ...stock, Key: { sku: { S: 'a' } } }],
    ['puts stock sku=a', 'PutItem', { ...stock, Item: { sku: { S: 'a' }, note: { S: 'secret' } } }],
    [
      'updates stock sku=a',
      'ExecuteStatement',
      {
        Statement: 'UPDATE "stock" SET "note"=? WHERE "sku"=? AND "owner"=?',
        Parameters: [{ S: 'secret' }, { S: 'a' }, { S: 'secret' }],
      },
    ],
    [
      'puts stock sku=a, deletes stock sku=b',
      'BatchWriteItem',
      {
        RequestItems: {
          stock: [
            { PutRequest: { Item: { sku: { S: 'a' }, note: { S: 'secret' } } } },
            { DeleteRequest: { Key: { sku: { S: 'b' } } } },
          ],
        },
      },
    ],
    ['queries stock by byOwner', 'Query', { ...stock, IndexName: 'byOwner' }],
    ['sends to paid', 'SendMessage', { QueueUrl: url, MessageBody: 'secret', ...stamped }],
    ['sends 2 messages to paid', 'SendMessageBatch', { QueueUrl: url, Entries: [stamped, {}] }],
    ['sends a retry to paid', 'SendMessage', { QueueUrl: url, ...packed({ resendNumber: 1 }) }],
    ['sends a dead letter to paid', 'SendMessage', { QueueUrl: url, ...packed({ death: 1 }) }],
    ['publishes to paid', 'Publish', { TopicArn: 'arn:aws:sns:eu:1:paid', Message: 'secret' }],
    ['hides a message on paid', 'ChangeMessageVisibility', { QueueUrl: url, VisibilityTimeout: 9 }],
    ['deletes 2 messages from paid', 'DeleteMessageBatch', { QueueUrl: url, Entries: [{}, {}] }],
    ['stores payloads/a', 'PutObject', { Bucket: 'payloads', Key: 'a', Body: 'secret' }],
    ['InvokeFunction', 'InvokeFunction', { Payload: 'secret' }],
  ]

  it.each(cases)('%s', (words, action, input) => {
    const answer = describeCall(action, input, () => ['sku'])
    expect(answer.words).toBe(words)
    expect(JSON.stringify(answer)).not.toContain('secret')
  })

  it('shows no key whose attributes it does not know, as a payload may be among them', () => {
    const Item = { sku: { S: 'secret' } }
    expect(describeCall('PutItem', { ...stock, Item })).toEqual({
      words: 'puts stock',
      table: 'stock',
    })
  })

  it('tells the ids of what it sends', () => {
    const call = describeCall('SendMessage', { QueueUrl: url, ...stamped })
    expect(call).toEqual({ words: 'sends to paid', to: 'paid', sends: ['m-1'] })
  })

  it('is short, however long its key is', () => {
    const { words, key } = describeCall('GetItem', {
      ...stock,
      Key: { sku: { S: 'x'.repeat(2_000) } },
    })
    expect(words.length).toBeLessThanOrEqual(300)
    expect(key?.length).toBeLessThanOrEqual(100)
  })
})
