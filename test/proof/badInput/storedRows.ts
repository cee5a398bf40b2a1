import { hash } from 'node:crypto'
import { stepIdOf } from '../../../src/library/protocol/claim/awaiting/awaiting.ts'
import { digestOf, versionOf } from '../../../src/library/protocol/claim/stage/version.ts'
import type { Item } from '../../../src/library/protocol/store/store.ts'
import { RUN_OF } from './consumers.ts'
import { NOW, record } from './consumerHarness.ts'
import type { Row } from './row.ts'

const GOOD = { id: 'bad', n: 7 }
const runs = { end: 'completed', ran: GOOD } as const
const unreadable = { end: 'failed', text: 'cannot be read' } as const

const order = record(GOOD, { messageId: 'bad-1' })
const TOKEN = {
  pk: 'lock#orders/bad-1',
  sk: 'token',
  attemptId: 'a-1',
  attempt: 1,
  fence: 1,
  status: 'inProgress',
  leaseUntil: NOW - 1,
  lockedBy: 'f/r',
  payloadHash: hash('sha256', order.body, 'base64url'),
}
const COMPLETE = {
  pk: TOKEN.pk,
  sk: 'token',
  attemptId: 'a-1',
  attempt: 1,
  fence: 1,
  ttl: Math.ceil(NOW / 1_000) + 60,
  payloadHash: TOKEN.payloadHash,
}
const without = (item: Item, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name))) as typeof TOKEN
const token = (changes: Item) => ({ record: order, items: [{ ...TOKEN, ...changes }] }) as const

/** Lock tokens that this version would not have written. */
export const tokenRows: readonly Row[] = [
  { what: 'an empty token', record: order, items: [{ pk: TOKEN.pk, sk: 'token' }], ...unreadable },
  { what: 'a status of a newer version', ...token({ status: 'paused' }), ...unreadable },
  { what: 'a status that is a number', ...token({ status: 1 }), ...unreadable },
  { what: 'a status of complete in words', ...token({ status: 'complete' }), end: 'duplicate' },
  { what: 'no attempt id', record: order, items: [without(TOKEN, 'attemptId')], ...unreadable },
  { what: 'an attempt id that is a number', ...token({ attemptId: 7 }), ...unreadable },
  { what: 'no attempt', record: order, items: [without(TOKEN, 'attempt')], ...unreadable },
  { what: 'an attempt that is a text', ...token({ attempt: '1' }), ...unreadable },
  { what: 'no fence', record: order, items: [without(TOKEN, 'fence')], ...unreadable },
  { what: 'a fence that is a set', ...token({ fence: new Set(['1']) }), ...unreadable },
  {
    what: 'a lease that is a time in words',
    ...token({ leaseUntil: '2999-01-01T00:00:00Z' }),
    ...unreadable,
  },
  {
    what: 'effects that are a text',
    ...token({ applied: 'reserve' }),
    ...unreadable,
  },
  { what: 'an attribute of a newer version', ...token({ colour: 'blue' }), ...runs },
  {
    what: 'a lease until the year 9999',
    ...token({ leaseUntil: Date.UTC(9999, 0) }),
    end: 'deferred',
  },
  {
    what: 'a wait until the year 9999',
    ...token({ leaseUntil: 0, notBefore: Date.UTC(9999, 0) }),
    end: 'deferred',
  },
  {
    what: 'a billion attempts',
    ...token({ attempt: 1e9 }),
    end: 'deadLettered',
    text: 'exhausted',
  },
  {
    what: 'another payload under its id',
    ...token({ payloadHash: 'f'.repeat(32) }),
    end: 'deadLettered',
    text: 'another payload',
  },
  {
    what: 'a fingerprint of a wrong type',
    ...token({ payloadHash: 7 }),
    end: 'deadLettered',
    text: 'conflict',
  },
  { what: 'done', record: order, items: [{ ...COMPLETE }], end: 'duplicate' },
  { what: 'done, and past its ttl', record: order, items: [{ ...COMPLETE, ttl: 1 }], ...runs },
  {
    what: 'done, with a ttl of a wrong type',
    record: order,
    items: [{ ...COMPLETE, ttl: 'soon' }],
    end: 'duplicate',
  },
  {
    what: 'done, with garbage for a result',
    record: order,
    items: [{ ...COMPLETE, result: '{' }],
    end: 'duplicate',
  },
  {
    what: 'dead',
    ...token({ status: 'error', death: 1, reason: 'exhausted' }),
    end: 'alreadyDeadLettered',
  },
  { what: 'dead, without a reason', ...token({ status: 'unknown' }), end: 'alreadyDeadLettered' },
  { what: 'dying, without a reason', ...token({ status: 'dying' }), end: 'deadLettered' },
  {
    what: 'dying, and its reason is a number',
    ...token({ status: 'dying', reason: 7, error: 8 }),
    end: 'deadLettered',
  },
  {
    what: 'of a status that only a newer version knows',
    ...token({ status: 'settled' }),
    ...unreadable,
  },
  {
    what: 'dead, and the dead letter of another death',
    items: [{ ...TOKEN, status: 'error', death: 2 }],
    record: record(GOOD, {
      messageId: 'bad-1',
      attributes: { lineclear: '{"format":1,"death":1}' },
    }),
    end: 'alreadyDeadLettered',
  },
]

const start = record({ key: 'bad' }, { messageId: 'bad-1' })
const redriven = record(
  { key: 'bad' },
  { messageId: 'bad-1', attributes: { lineclear: '{"format":1,"death":3}' } },
)
const RUN = { ...RUN_OF('bad', 'bad-1'), 'stage:first': `open 1 a-1 ${NOW - 1} 0` }
const IDLE = { pk: RUN.pk, sk: 'stage', epoch: 3, fence: 4 }
const stage = (item: Item & { readonly pk: string; readonly sk: string }) =>
  ({ to: 'first stage', record: start, items: [item] }) as const
const DEAD = { ...IDLE, newest: versionOf(NOW - 1_000, 'bad-1'), last: `${digestOf('bad-1')}d` }
const PARKED = {
  pk: RUN.pk,
  sk: 'dead#bad-1',
  uniquerequestid: 'bad-1',
  epoch: 3,
  fence: 4,
  restored: '[]',
  'stage:first': 'dead 3 terminal',
}
const deadRequest = (changes: Item) =>
  ({
    to: 'first stage',
    record: redriven,
    items: [{ ...DEAD }, { ...PARKED, ...changes }],
  }) as const
const ran = { end: 'completed', ran: { key: 'bad' } } as const

/** Stage records, and stored dead requests. An unreadable one is never run as if its key were free. */
export const stageRows: readonly Row[] = [
  { what: 'an empty record', ...stage({ pk: RUN.pk, sk: 'stage' }), ...unreadable },
  { what: 'no epoch', ...stage(without(RUN, 'epoch')), ...unreadable },
  { what: 'an epoch below nothing', ...stage({ ...RUN, epoch: -1 }), ...unreadable },
  { what: 'an epoch that is a text', ...stage({ ...RUN, epoch: '1' }), ...unreadable },
  { what: 'no fence', ...stage(without(RUN, 'fence')), ...unreadable },
  { what: 'a request that is a number', ...stage({ ...RUN, uniquerequestid: 7 }), ...unreadable },
  {
    what: 'a stage without a request',
    ...stage(without(RUN, 'uniquerequestid', 'giveUpAt')),
    ...unreadable,
  },
  { what: 'no time to give up', ...stage(without(RUN, 'giveUpAt')), ...unreadable },
  { what: 'a time to give up in words', ...stage({ ...RUN, giveUpAt: 'tomorrow' }), ...unreadable },
  {
    what: 'a stage of a newer version',
    ...stage({ ...RUN, 'stage:first': 'paused 1 2 3' }),
    ...unreadable,
  },
  { what: 'a stage that is a number', ...stage({ ...RUN, 'stage:first': 1 }), ...unreadable },
  { what: 'a stage that is empty', ...stage({ ...RUN, 'stage:first': '' }), ...unreadable },
  {
    what: 'a stage with a space too many',
    ...stage({ ...RUN, 'stage:first': `open 1  a-1 ${NOW} 0` }),
    ...unreadable,
  },
  {
    what: 'a stage that died of something new',
    ...stage({ ...RUN, 'stage:first': 'dead 1 boredom' }),
    ...unreadable,
  },
  {
    what: 'another stage that cannot be read',
    ...stage({ ...RUN, 'stage:other': 'odd' }),
    ...unreadable,
  },
  { what: 'marks that are a text', ...stage({ ...RUN, applied: 'first:sale' }), ...unreadable },
  { what: 'restored marks that are no JSON', ...stage({ ...RUN, restored: '[' }), ...unreadable },
  { what: 'restored marks that are numbers', ...stage({ ...RUN, restored: '[1]' }), ...unreadable },
  { what: 'a newest version that is a number', ...stage({ ...IDLE, newest: 5 }), ...unreadable },
  { what: 'a newest version that is none', ...stage({ ...IDLE, newest: 'zzz' }), ...unreadable },
  { what: 'a waiting version that is none', ...stage({ ...IDLE, waiting: '' }), ...unreadable },
  { what: 'ends of a wrong width', ...stage({ ...IDLE, ended: 'abc' }), ...unreadable },
  {
    what: 'an end of a kind that is new',
    ...stage({ ...IDLE, last: `${digestOf('x')}z` }),
    ...unreadable,
  },
  { what: 'refusals of a wrong width', ...stage({ ...IDLE, dropped: 'abc' }), ...unreadable },
  { what: 'an attribute of a newer version', ...stage({ ...IDLE, colour: 'blue' }), ...ran },
  { what: 'a run whose attempt is dead', ...stage(RUN), ...ran },
  {
    what: 'a run of another request without an end',
    ...stage({ ...RUN_OF('bad', 'other'), newest: versionOf(NOW - 5_000, 'other') }),
    end: 'deferred',
  },
  {
    what: 'a request that died, and not its dead letter',
    to: 'first stage',
    record: start,
    items: [DEAD, PARKED],
    end: 'alreadyDeadLettered',
  },
  { what: 'a dead letter as it is written', ...deadRequest({}), ...ran },
  {
    what: 'a dead request without an epoch',
    to: 'first stage',
    record: redriven,
    items: [DEAD, without(PARKED, 'epoch')],
    ...unreadable,
  },
  {
    what: 'a dead request with a stage that is garbage',
    ...deadRequest({ 'stage:first': 'odd' }),
    ...unreadable,
  },
  {
    what: 'a dead request with marks that are garbage',
    ...deadRequest({ restored: 'sale' }),
    ...unreadable,
  },
]

const stepId = stepIdOf('quote', 'q-1', 'run-odd')
const STEP = {
  pk: 'flow#trip/odd',
  sk: 'await#quote#run-odd',
  uniquerequestid: 'run-odd',
  epoch: 1,
  need: 1,
  count: 0,
  until: NOW + 60_000,
  sentAt: NOW - 1_000,
  from: 'first',
  [`step:${stepId}`]: 'waiting',
}
const WAITERS = {
  pk: 'await#trip/quote/q-1',
  sk: 'waiters',
  [`wait:${stepId}`]: `${NOW + 60_000} run-odd flow#trip/odd`,
}
const ANSWER = { quoteId: 'q-1', price: 7 }
const RUN_ODD = { ...RUN_OF('odd', 'run-odd'), 'stage:first': 'settled on quote' }
const awaiting = (step: Item, list: Item = {}) =>
  ({
    to: 'answers',
    record: record(ANSWER),
    items: [RUN_ODD, { ...WAITERS, ...list }, { ...STEP, ...step }],
  }) as const
const stays = { end: 'failed', text: 'was written by a newer version, or by hand' } as const

/** Steps that wait for an answer, and the item by which an answer finds them. */
export const awaitingRows: readonly Row[] = [
  { what: 'a step as it is written', ...awaiting({}), end: 'completed', ran: ANSWER },
  {
    what: 'a step without an epoch',
    to: 'answers',
    record: record(ANSWER),
    items: [RUN_ODD, WAITERS, without(STEP, 'epoch')],
    ...stays,
  },
  {
    what: 'a step whose trace is a number',
    ...awaiting({ traceparent: 7 }),
    end: 'completed',
    ran: ANSWER,
  },
  { what: 'a step that needs a text', ...awaiting({ need: 'all' }), ...stays },
  {
    what: 'a step with an answer of a newer version',
    ...awaiting({ [`step:${stepId}`]: 'accepted x' }),
    ...stays,
  },
  {
    what: 'a step that was joined by a number',
    ...awaiting({ joinedBy: 7 }),
    ...stays,
  },
  {
    what: 'a step without the stage that asked',
    to: 'answers',
    record: record(ANSWER),
    items: [RUN_ODD, WAITERS, without(STEP, 'from')],
    ...stays,
  },
  {
    what: 'a step that is answered otherwise',
    ...awaiting({ [`step:${stepId}`]: 'answered x', joinedBy: stepId }),
    end: 'deadLettered',
    text: 'another answer was accepted',
  },
  {
    what: 'a step that is over',
    ...awaiting({ joinedBy: 'timeout' }),
    end: 'late',
  },
  {
    what: 'a step that is gone',
    to: 'answers',
    record: record(ANSWER),
    items: [RUN_ODD, WAITERS],
    end: 'deferred',
  },
  {
    what: 'a list entry of a wrong type',
    ...awaiting({}, { [`wait:${stepId}`]: 7 }),
    end: 'deferred',
  },
  {
    what: 'a list entry of a newer version',
    ...awaiting({}, { [`wait:${stepId}`]: 'v2' }),
    end: 'deferred',
  },
  {
    what: 'a list entry with a broken escape',
    ...awaiting({}, { [`wait:${stepId}`]: `${NOW + 60_000} %zz flow#trip/odd` }),
    end: 'deferred',
  },
  {
    what: 'a list entry of another flow',
    ...awaiting({}, { [`wait:${stepId}`]: `${NOW + 60_000} run-odd flow#tour/odd` }),
    end: 'deferred',
  },
  {
    what: 'a second list entry that is garbage',
    ...awaiting({}, { 'wait:x': 'odd' }),
    end: 'completed',
    ran: ANSWER,
  },
]
