import { stepIdOf } from '../../../../src/library/protocol/claim/awaiting/awaiting.ts'
import { writeMessage } from '../../../../src/library/protocol/claim/delayed/messageText.ts'
import { digestOf } from '../../../../src/library/protocol/claim/stage/version.ts'
import type { Facts } from '../../../../src/tools/operator/explain/facts.ts'
import type { Item } from '../../../../src/library/protocol/store/store.ts'

export const NOW = Date.parse('2026-01-01T12:00:00.000Z')
/** Stands in every place that holds a payload, an answer or a result. */
export const SECRET = 'card-4111'

const MINUTE = 60_000
const iso = (time: number): string => new Date(time).toISOString()

type Kinds = { [Each in Facts as Each['kind']]: Each['status'] }

/** An item for each kind in each of its states, and the items beside it: a new state has to get one. */
type Samples = {
  readonly [Kind in keyof Kinds]: Readonly<Record<Kinds[Kind], readonly [Item, ...Item[]]>>
}

const TOKEN = {
  format: 1,
  sk: 'token',
  attemptId: 'a',
  attempt: 2,
  fence: 2,
  created: iso(NOW - MINUTE),
  lockedBy: 'orders/5d1f3a9c-0000-4000-8000-000000000071',
}

function tokens(pk: string) {
  const base = { ...TOKEN, pk }
  const retry = { ...base, status: 'inProgress', leaseUntil: 0 }
  const parked = {
    ...base,
    reason: 'exhausted',
    error: 'Error: bank',
    stack: 'at charge\nat orders',
    death: 1,
    applied: new Set(['reserve']),
    'step:label': `done:"${SECRET}"`,
    actualCompletion: iso(NOW - 1_000),
  }
  return {
    done: [{ ...base, ttl: NOW / 1_000 + 60, result: SECRET, sent: '[["mail","m1"]]' }],
    running: [{ ...base, status: 'inProgress', leaseUntil: NOW + MINUTE }],
    lost: [{ ...base, status: 'inProgress', leaseUntil: NOW - MINUTE }],
    free: [{ ...retry, attempt: 0 }],
    waiting: [{ ...retry, notBefore: NOW + MINUTE }],
    overdue: [{ ...retry, notBefore: NOW - MINUTE }],
    dying: [{ ...parked, status: 'dying', leaseUntil: NOW + MINUTE }],
    ending: [{ ...parked, status: 'ending', attempt: 1, attempts: 3 }],
    error: [{ ...parked, status: 'error' }],
    unknown: [{ ...parked, status: 'unknown', reason: 'unknown', 'step:charge': 'start' }],
  } as const
}

const RECORD = { format: 1, pk: 'flow#trip/k', sk: 'stage', epoch: 2, fence: 4 }
const RUN = { ...RECORD, uniquerequestid: 'r1', giveUpAt: NOW + 60 * MINUTE }
const SETTLED = { 'stage:book': 'settled on pay', applied: new Set(['book:seat', 'pay?1:charge']) }
const AWAITED: Item = {
  format: 1,
  pk: 'flow#trip/k',
  sk: 'await#quote#r1',
  uniquerequestid: 'r1',
  epoch: 2,
  need: 1,
  count: 0,
  until: NOW + 60 * MINUTE,
  created: iso(NOW - MINUTE),
  externalIds: '["q-1"]',
  [`step:${stepIdOf('quote', 'q-1', 'r1')}`]: 'waiting',
}
const DEAD = {
  format: 1,
  pk: 'flow#trip/k',
  sk: 'dead#r1',
  uniquerequestid: 'r1',
  epoch: 2,
  fence: 4,
  created: iso(NOW - MINUTE),
  error: 'TypeError: tariff',
  'stage:book': 'settled on pay',
  'stage:pay': 'dead 2 terminal',
}
const EVENT = { format: 1, pk: 'once#hooks/e1', sk: 'once', created: iso(NOW - MINUTE) }
const LATER = {
  format: 1,
  pk: 'later#d1',
  sk: 'later',
  queue: 'arn:aws:sqs:eu-west-1:1:ship',
  by: 'trip.book',
  run: 'flow#trip/k',
  uniquerequestid: 'r1',
  keepFor: MINUTE,
  created: iso(NOW - MINUTE),
  st: 'due',
  due: NOW + MINUTE,
  dueAt: NOW + MINUTE,
  message: writeMessage({ body: SECRET, attributes: {} }),
}
const { message: _message, dueAt: _dueAt, ...CLOSED } = LATER

export const SAMPLES: Samples = {
  request: tokens('lock#orders/r1'),
  key: tokens('key#payments/k1'),
  flow: {
    idle: [{ ...RECORD, last: `${digestOf('r1')}c`, newest: `${'1'.padStart(15, '0')}#r1` }],
    running: [{ ...RUN, ...SETTLED, 'stage:pay': `open 2 a ${NOW + MINUTE} 0` }],
    waiting: [{ ...RUN, ...SETTLED, 'stage:book': 'settled on pay quote' }, AWAITED],
    lost: [{ ...RUN, ...SETTLED, 'stage:pay': `open 2 a ${NOW - MINUTE} 0` }],
    overTime: [{ ...RUN, giveUpAt: NOW, ...SETTLED }],
  },
  step: {
    waiting: [AWAITED],
    overdue: [{ ...AWAITED, until: NOW - 60 * MINUTE }],
    complete: [{ ...AWAITED, count: 1, joinedBy: stepIdOf('quote', 'q-1', 'r1') }],
    timedOut: [{ ...AWAITED, joinedBy: 'timeout' }],
  },
  deadRun: {
    dead: [{ ...DEAD, statusShard: 'dead#1', dueAt: NOW }],
    waiting: [DEAD, { ...AWAITED, reopened: true }],
    closed: [DEAD],
  },
  event: {
    accepted: [{ ...EVENT, status: 'accepted', event: SECRET, message: SECRET }],
    queued: [{ ...EVENT, status: 'queued', queued: iso(NOW - 1_000) }],
    taken: [EVENT],
  },
  delayed: {
    waiting: [LATER],
    due: [{ ...LATER, due: NOW - MINUTE, dueAt: NOW - MINUTE }],
    heldBack: [{ ...LATER, due: NOW - MINUTE, dueAt: NOW + MINUTE }],
    sent: [{ ...CLOSED, st: 'sent', due: NOW - MINUTE, actualCompletion: iso(NOW - 1_000) }],
    void: [{ ...CLOSED, st: 'void', actualCompletion: iso(NOW - 1_000) }],
  },
  other: {
    stored: [
      { format: 1, pk: 'discarded#p/0', sk: 'm1#000', text: SECRET, parts: 1, ttl: 5 },
      {
        format: 1,
        pk: 'flow#trip/k',
        sk: 'answer#r1#book:pay',
        answer: SECRET,
        ttl: NOW / 1_000 + 60,
      },
      {
        format: 1,
        pk: 'flow#trip/k',
        sk: 'await#quote#r1#step-id#hash',
        externalId: 'q-1',
        body: SECRET,
      },
      { format: 1, pk: 'flow#trip/k', sk: 'answer#r1#pay:charge', answer: `done:"${SECRET}"` },
    ],
  },
  unreadable: { unreadable: [{ pk: 'lock#orders/r2', sk: 'token', status: 'new', body: SECRET }] },
}
